/** Which key presses belong to the page, and not to a field, a terminal or a dialog. */

const FIELDS = "input, textarea, select, [contenteditable], .xterm, dialog";
/** What Enter and space press. */
const PRESSED = "button, a, summary, [role=tab]";
/** What the arrows, space and the page keys scroll or move. */
const SCROLLED = "pre[tabindex], [role=document], [role=log], [role=separator], .wide";
const SCROLLS = new Set([" ", "ArrowDown", "ArrowUp", "PageDown", "PageUp", "Home", "End"]);

/** Whether a key without modifiers is free to be a shortcut of the page. */
export function isFree(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  if (event.defaultPrevented || event.isComposing) return false;
  // A press beside what can have the focus leaves the dialog open and the focus nowhere.
  if (document.querySelector("dialog:modal") !== null) return false;
  const target = event.target;
  if (!(target instanceof Element)) return true;
  if (target.closest(FIELDS) !== null) return false;
  if (SCROLLS.has(event.key) && target.closest(SCROLLED) !== null) return false;
  return (event.key !== "Enter" && event.key !== " ") || target.closest(PRESSED) === null;
}

/** Whether a key was pressed in a terminal, whose keys are its program's. */
export function inTerminal({ target }: KeyboardEvent): boolean {
  return target instanceof Element && target.closest(".xterm") !== null;
}
