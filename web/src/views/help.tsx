/** Which keys do what. */

import { useRef } from "preact/hooks";

import { Dialog } from "./dialog.js";

const KEYS: readonly [string, string][] = [
  ["ctrl K", "find anything (in a terminal: ctrl .)"],
  ["g o / g t / g a", "overview, terminals, activity"],
  ["j / k", "next and previous row"],
  ["enter", "open the pane of a row"],
  ["space", "look at the last lines of a row"],
  ["1 … 9, y, n, esc", "answer the dialog of a row whose lines are shown"],
  ["p", "prompt the agent of a row"],
  ["x", "put away a row that failed"],
  ["b", "what rang"],
  ["ctrl shift C / V", "copy and paste in a terminal"],
  ["arrows on a divider", "move it"],
  ["l", "start Luxe in a folder"],
  ["1 … 4", "answer what a Luxe session asks"],
  ["arrows, F2 on a tab", "the next one, rename it"],
  ["ctrl . in a terminal", "split, zoom, move, rename, search, close: by name"],
  ["?", "this help"],
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
