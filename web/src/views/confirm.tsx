/** A question before something that cannot be taken back. */

import { useRef } from "preact/hooks";

import { Dialog } from "./dialog.js";

export interface ConfirmProps {
  question: string;
  /** What is lost. */
  detail: string;
  /** What the button says that does it. */
  act: string;
  /** What the button says that does not. */
  keep?: string;
  onAct(): void;
  onClose(): void;
}

export function Confirm({ question, detail, act, keep, onAct, onClose }: ConfirmProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  return (
    <Dialog class="confirm" dialog={dialog} label={question} onClose={onClose}>
      <p>
        <strong>{question}</strong>
      </p>
      <p class="quiet">{detail}</p>
      <div class="answers">
        <button
          autoFocus
          onClick={() => {
            onAct();
            dialog.current?.close();
          }}
          type="button"
        >
          {act}
        </button>
        <button onClick={() => dialog.current?.close()} type="button">
          {keep ?? "keep it"}
        </button>
      </div>
    </Dialog>
  );
}
