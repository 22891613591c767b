/** A dialog over the page: it has the focus while it is open, and escape or a press beside it closes it. */

import type { ComponentChildren, RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";

export interface DialogProps {
  label: string;
  class?: string;
  /** Who wants to close it from inside. */
  dialog: RefObject<HTMLDialogElement | null>;
  onClose(): void;
  children: ComponentChildren;
}

export function Dialog({ label, class: name, dialog, onClose, children }: DialogProps) {
  // Before the next key can arrive: it is meant for the dialog.
  useLayoutEffect(() => dialog.current?.showModal(), [dialog]);
  return (
    <dialog
      aria-label={label}
      class={name}
      onClose={onClose}
      // A phone has no escape key. What lies beside the dialog belongs to its backdrop.
      onPointerDown={(event) => {
        if (event.target === event.currentTarget && beside(event)) dialog.current?.close();
      }}
      ref={dialog}
    >
      {children}
    </dialog>
  );
}

function beside({ clientX: x, clientY: y, currentTarget }: PointerEvent): boolean {
  const box = (currentTarget as HTMLElement).getBoundingClientRect();
  return x < box.left || x > box.right || y < box.top || y > box.bottom;
}
