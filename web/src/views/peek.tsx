/** The last lines of a pane, as they stand on its screen; read again when they change. */

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

import { locatorOf } from "../state/acts.js";
import { usePage } from "../state/hooks.js";

/** Between two readings of one pane. */
const GAP_MS = 250;
/** Pixels from the end that still count as the end. */
const SLACK = 8;
/** Rows that are asked for; blank ones at the end are not shown. */
const ROWS = 120;

export interface PeekProps {
  pane: string;
  lines: number;
  /** Whether every line is shown as it stands. */
  whole?: boolean;
  /** Whether to leave out what only frames the text, where there is little room. */
  narrow?: boolean;
  /** Called with the state of the screen that is shown now, and its text. */
  onShown?(revision: number, text: string): void;
}

export function Peek({ pane, lines, whole, narrow, onShown }: PeekProps) {
  const { session } = usePage();
  const [text, setText] = useState<string>();
  const told = useRef(onShown);
  told.current = onShown;
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
          { ...locatorOf(session, info), mode: "visible", lines: ROWS, ansi: false },
          leaving.signal,
        );
        const shown = whole ? answer.text.trimEnd() : lastOf(answer.text, lines);
        setText(shown);
        told.current?.(answer.content_revision, shown);
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
  }, [pane, lines, whole, session]);
  return <Lines text={text ?? "…"} narrow={narrow ?? false} />;
}

/** Lines of a terminal that can be scrolled, also by keys. */
export function Lines({ text, narrow }: { text: string; narrow: boolean }) {
  const shown = narrow ? unframed(text) : text;
  const lines = useRef<HTMLPreElement>(null);
  const atEnd = useRef(true);
  // What was written last is what matters: where there is no room for all, the end is seen, until
  // somebody scrolls.
  useLayoutEffect(() => {
    const element = lines.current;
    if (element !== null && atEnd.current) element.scrollTop = element.scrollHeight;
  }, [shown]);
  return (
    <pre
      class={narrow ? "wrapped" : ""}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        atEnd.current = scrollTop + clientHeight >= scrollHeight - SLACK;
      }}
      ref={lines}
      tabIndex={0}
    >
      {shown}
    </pre>
  );
}

/** A text without blank lines at its start, and with at most one between others. */
export function dense(text: string): string {
  return text.replace(/^(?:[^\S\n]*\n)+/u, "").replace(/\n(?:[^\S\n]*\n){2,}/gu, "\n\n");
}

/** The last lines, without the blank ones at the end. */
export function lastOf(text: string, lines: number): string {
  return dense(text.trimEnd()).split("\n").slice(-lines).join("\n");
}

/** A text without the frames that programs draw around it, which would break when it wraps. */
export function unframed(text: string): string {
  return text
    .split("\n")
    .map((line) => line.replace(/[\s│┃║|]+$/u, "").replace(/^\s*[│┃║]\s?/u, ""))
    .filter((line) => !/^[\s╭╮╰╯┌┐└┘─━═╌╍┄┅┈┉╔╗╚╝├┤┬┴┼]+$/u.test(line))
    .join("\n");
}
