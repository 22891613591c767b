/** What happened since this page was opened, as sentences. */

import { useState } from "preact/hooks";

import { usePage, useSession } from "../state/hooks.js";
import { address } from "../state/route.js";
import type { Kind } from "../state/timeline.js";

const KINDS: readonly Kind[] = ["agents", "panes", "tabs", "workspaces", "other"];
/** Entries that are drawn; the filters look at all that are kept. */
const DRAWN = 300;

export function Activity() {
  const { timeline } = useSession();
  const { go } = usePage();
  const [hidden, setHidden] = useState<ReadonlySet<Kind>>(new Set());
  const toggle = (kind: Kind) => {
    const next = new Set(hidden);
    if (!next.delete(kind)) next.add(kind);
    setHidden(next);
  };
  const shown = timeline.entries.filter((entry) => !hidden.has(entry.kind)).slice(-DRAWN);
  return (
    <>
      <fieldset class="filters" style={{ border: 0, margin: 0 }}>
        <legend class="unseen">Kinds of events</legend>
        {KINDS.map((kind) => (
          <label key={kind}>
            <input checked={!hidden.has(kind)} onChange={() => toggle(kind)} type="checkbox" />{" "}
            {kind}
          </label>
        ))}
      </fieldset>
      {shown.length === 0 && <p class="empty">Nothing has happened since this page was opened.</p>}
      <ol class="timeline" reversed>
        {shown.toReversed().map((entry, at) => (
          <li class={entry.kind === "gap" ? "gap" : ""} key={`${entry.sequence}-${entry.at}-${at}`}>
            <time class="quiet number" dateTime={new Date(entry.at).toISOString()}>
              {new Date(entry.at).toLocaleTimeString()}
            </time>
            <span>{entry.text}</span>
            {entry.pane !== undefined && (
              <a
                href={address({ place: "terminals", pane: entry.pane })}
                onClick={(event) => {
                  event.preventDefault();
                  go({ place: "terminals", pane: entry.pane });
                }}
              >
                pane {entry.pane}
              </a>
            )}
          </li>
        ))}
      </ol>
    </>
  );
}
