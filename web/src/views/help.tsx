/** Which keys do what. */

import { useEffect, useRef } from "preact/hooks";

const KEYS: readonly [keys: string, what: string][] = [
  ["ctrl K", "find agents, panes, places and commands"],
  ["ctrl .", "the same from inside a terminal, which gets every other key"],
  ["g o / g t / g a", "go to the overview, the terminals, the activity"],
  ["j / k", "next and previous row of the overview"],
  ["enter", "open the terminal or the session of the row"],
  ["space", "show its last lines, and what it asks"],
  ["1 … 9, y, n, esc", "answer what it asks, while its lines are shown"],
  ["p", "tell the agent of the row what to do"],
  ["x", "remove a failed row from the list"],
  ["b", "bells and notices"],
  ["l", "start Luxe, the coding agent of this server"],
  ["ctrl shift C / V", "copy and paste in a terminal"],
  ["← → ↑ ↓", "move a divider between panes that has the focus"],
  ["?", "this list"],
];

/** Which keys do what. */
export function Help({ onClose }: { onClose(): void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog aria-label="Keys" onClose={onClose} ref={dialog}>
      <div class="help">
        <h2>keys</h2>
        <dl>
          {KEYS.map(([keys, what]) => (
            <>
              <dt key={keys}>
                <kbd>{keys}</kbd>
              </dt>
              <dd style={{ margin: 0 }}>{what}</dd>
            </>
          ))}
        </dl>
      </div>
    </dialog>
  );
}
