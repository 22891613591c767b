/** The last lines of a pane, as they stand on its screen; read again when they change. */

import { useEffect, useState } from "preact/hooks";

import { locatorOf } from "../state/acts.js";
import { usePage } from "../state/hooks.js";

/** Between two readings of one pane. */
const GAP_MS = 250;

export interface PeekProps {
  pane: string;
  lines: number;
  /** Called with the state of the screen that is shown now, and its text. */
  onShown?(revision: number, text: string): void;
}

export function Peek({ pane, lines, onShown }: PeekProps) {
  const { session } = usePage();
  const [text, setText] = useState<string>();
  useEffect(() => {
    const leaving = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let again = false;
    const read = async () => {
      try {
        const info = session.pane(pane);
        if (info === undefined) return;
        const answer = await session.client.call(
          "terminal.backend.capture",
          { ...locatorOf(session, info), mode: "recent_unwrapped", lines, ansi: false },
          leaving.signal,
        );
        const shown = answer.text.trimEnd();
        setText(shown);
        onShown?.(answer.content_revision, shown);
      } catch {
        // What was read before stays; the page says elsewhere that the server is lost.
      }
      if (leaving.signal.aborted) return;
      timer = setTimeout(() => {
        timer = undefined;
        if (again) start();
      }, GAP_MS);
    };
    const start = () => {
      again = false;
      timer = setTimeout(() => void read(), 0);
    };
    const stop = session.onOutput((changed) => {
      if (changed !== pane) return;
      if (timer === undefined) start();
      else again = true;
    });
    start();
    return () => {
      stop();
      leaving.abort();
      clearTimeout(timer);
    };
  }, [pane, lines, session]);
  return <pre>{text ?? "…"}</pre>;
}
