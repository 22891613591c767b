/** The answers that a dialog on a pane's screen offers, as buttons that show their keys. */

import { useEffect, useMemo, useReducer, useRef } from "preact/hooks";

import { press } from "../state/acts.js";
import { Answering } from "../state/answering.js";
import { usePage } from "../state/hooks.js";
import type { PaneInfo } from "../state/session.js";

const SIGN: Record<string, string> = { escape: "esc" };

/** What answers the dialogs of a pane; the component is drawn again whenever that changes. */
export function useAnswering(pane: PaneInfo): Answering {
  const { session, say } = usePage();
  const latest = useRef(pane);
  latest.current = pane;
  const [, redraw] = useReducer((n: number) => n + 1, 0);
  const answering = useMemo(
    () =>
      new Answering({
        press: (key, revision) => press(session, latest.current, key, revision),
        onChange: () => redraw(undefined as never),
        onFailed: say,
      }),
    [session, say, pane.id],
  );
  useEffect(() => () => answering.end(), [answering]);
  return answering;
}

/** The buttons; until the screen changes they are off, so that nobody answers twice. */
export function Answers({ answering }: { answering: Answering }) {
  const { about } = usePage();
  return (
    <>
      {answering.offered.map((choice) => (
        <button
          aria-disabled={answering.busy}
          disabled={about.read_only}
          key={choice.key}
          onClick={() => answering.answer(choice)}
          title={choice.label}
          type="button"
        >
          {SIGN[choice.key] ?? choice.key}
          {choice.label !== "" && <span class="quiet"> {choice.label}</span>}
        </button>
      ))}
    </>
  );
}
