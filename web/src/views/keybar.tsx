/** The keys that a phone lacks, below its terminal. */

import type { BarKey } from "../terminal/keys.js";
import type { Screen } from "../terminal/screen.js";

const KEYS: readonly [string, string, BarKey][] = [
  ["esc", "Escape", "esc"],
  ["tab", "Tab", "tab"],
  ["←", "Left", "left"],
  ["↑", "Up", "up"],
  ["↓", "Down", "down"],
  ["→", "Right", "right"],
];
const INTERRUPT = "\x03";

export function KeyBar({ screen, control }: { screen: Screen | undefined; control: boolean }) {
  return (
    <div
      aria-label="Keys"
      class="keybar"
      // The terminal keeps the focus, and with it the phone's own keyboard stays.
      onPointerDown={(event) => event.preventDefault()}
      role="toolbar"
    >
      <button
        aria-pressed={control}
        onClick={() => screen?.hold(!control)}
        title="The next key is pressed together with control"
        type="button"
      >
        ctrl
      </button>
      {KEYS.map(([sign, label, key]) => (
        <button aria-label={label} key={key} onClick={() => screen?.press(key)} type="button">
          {sign}
        </button>
      ))}
      <button aria-label="Interrupt" onClick={() => screen?.type(INTERRUPT)} type="button">
        ^C
      </button>
      <button onClick={() => void screen?.pasteClipboard()} type="button">
        paste
      </button>
    </div>
  );
}
