/** Which keys do what. */

import { useRef } from "preact/hooks";

import { Dialog } from "./dialog.js";

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
  ["ctrl . in a terminal", "split, zoom, move, rename, search, close: by name"],
  ["arrows on a tab", "the next tab; F2 renames it"],
  ["arrows on a divider", "move it"],
  ["?", "this list"],
];

export function Help({ onClose }: { onClose(): void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  return (
    <Dialog dialog={dialog} label="Keys" onClose={onClose}>
      <div class="help">
        <h2>keys</h2>
        <dl>
          {KEYS.map(([keys, what]) => (
            <div key={keys}>
              <dt>
                <kbd>{keys}</kbd>
              </dt>
              <dd>{what}</dd>
            </div>
          ))}
        </dl>
      </div>
    </Dialog>
  );
}
