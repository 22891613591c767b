/** Short words about what became of something; each goes by itself, unless somebody is reading it. */

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

import { usePage } from "../state/hooks.js";

/** How long a toast stays, and how much longer for each character of it. */
const TOAST_MS = 6_000;
const CHARACTER_MS = 40;
/** Toasts that are shown; the oldest makes room for another. */
export const TOASTS = 4;

export interface ToastInfo {
  id: number;
  text: string;
  /** Where it leads. */
  pane: string | undefined;
}

interface ToastsProps {
  toasts: readonly ToastInfo[];
  onGone(id: number): void;
}

export function Toasts({ toasts, onGone }: ToastsProps) {
  const list = useRef<HTMLOListElement>(null);
  const newest = toasts.at(-1)?.id;
  useLayoutEffect(() => {
    const element = list.current;
    if (element === null) return;
    // Dialogs and popovers lie over the page in the order in which they were opened: what a dialog
    // leads to is said over it.
    const open = element.matches(":popover-open");
    if (open && document.querySelector("dialog:modal") !== null) element.hidePopover();
    if (!element.matches(":popover-open")) element.showPopover();
  }, [newest]);
  return (
    <ol aria-live="polite" class="toasts" popover="manual" ref={list}>
      {toasts.map((toast) => (
        <Toast key={toast.id} onGone={() => onGone(toast.id)} toast={toast} />
      ))}
    </ol>
  );
}

function Toast({ toast: { text, pane }, onGone }: { toast: ToastInfo; onGone(): void }) {
  const { go } = usePage();
  const [held, setHeld] = useState(false);
  useEffect(() => {
    if (held) return;
    const timer = setTimeout(onGone, TOAST_MS + CHARACTER_MS * text.length);
    return () => clearTimeout(timer);
  }, [held]);
  return (
    <li
      onFocusIn={() => setHeld(true)}
      onFocusOut={() => setHeld(false)}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
    >
      {text}
      {pane !== undefined && (
        <button onClick={() => go({ place: "terminals", pane })} type="button">
          open pane
        </button>
      )}
    </li>
  );
}
