/** The bell: how much rang since it was looked at, what it was, and the way there. */

import { useEffect, useRef, useState } from "preact/hooks";

import { usePage, useSession } from "../state/hooks.js";
import { mayAsk } from "../state/notices.js";
import type { Ring } from "../state/rings.js";
import { Dialog } from "./dialog.js";
import { Age } from "./state.js";

const SHAPE: Record<Ring["kind"], [shape: string, state: string]> = {
  blocked: ["▲", "blocked"],
  failed: ["✕", "failed"],
  bell: ["♪", "unknown"],
  notice: ["✉", "unknown"],
};

export function Bell({ onOpen }: { onOpen(): void }) {
  const { rings } = useSession();
  const said = rings.unread === 0 ? "Nothing new rang" : `${rings.unread} rang`;
  return (
    <button aria-label={said} class="plain bell" onClick={onOpen} title={said} type="button">
      <svg aria-hidden="true" fill="none" height="14" stroke="currentColor" viewBox="0 0 16 16">
        <path d="M3 12h10l-1.2-2V7a3.8 3.8 0 0 0-7.6 0v3zM6.5 14h3M8 1.5v1.7" />
      </svg>
      {rings.unread > 0 && <span class="count number">{rings.unread}</span>}
    </button>
  );
}

export function BellList({ onClose }: { onClose(): void }) {
  const session = useSession();
  const dialog = useRef<HTMLDialogElement>(null);
  const [asks, setAsks] = useState(mayAsk);
  const rings = session.rings.entries.toReversed();
  // Also what rings while the list is open is seen.
  useEffect(() => session.readRings());
  return (
    <Dialog class="rings" dialog={dialog} label="What rang" onClose={onClose}>
      <h2>what rang</h2>
      {rings.length === 0 && <p class="empty">Nothing rang since this page was opened.</p>}
      <ol>
        {rings.map((ring) => (
          <RingLine key={ring.id} onClose={() => dialog.current?.close()} ring={ring} />
        ))}
      </ol>
      {asks && (
        <button
          onClick={() => void Notification.requestPermission().then(() => setAsks(mayAsk()))}
          type="button"
        >
          tell me outside of this page too
        </button>
      )}
    </Dialog>
  );
}

function RingLine({ ring, onClose }: { ring: Ring; onClose(): void }) {
  const { go } = usePage();
  const [shape, state] = SHAPE[ring.kind];
  const text = ring.kind === "bell" ? rang(ring.count) : ring.text;
  const open = () => {
    onClose();
    if (ring.pane === undefined) go({ place: "overview", pane: undefined });
    else go({ place: "terminals", pane: ring.pane });
  };
  return (
    <li>
      <button class="plain" onClick={open} type="button">
        <span aria-hidden="true" class={`state-${state}`}>
          {shape}
        </span>
        <span>
          <strong>{ring.who}</strong> {text}
          <span class="quiet">
            {" "}
            · {ring.where} · <Age since={ring.at} />
          </span>
        </span>
      </button>
    </li>
  );
}

function rang(count: number): string {
  return count === 1 ? "rang the bell" : `rang the bell ${count} times`;
}
