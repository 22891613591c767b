/**
 * Who draws what has changed: told once before the next drawing, however much changed until then.
 * A hundred agents that go on at the same moment are one drawing, not a hundred.
 */

/** A hidden page draws nothing, and still has a title to keep true. */
const LONGEST_MS = 200;

/** What says that it has changed. */
export interface Changing {
  /** Grows with every change. */
  readonly version: number;
  /** Call back before the next drawing after a change; returns what stops it. */
  subscribe(listener: () => void): () => void;
}

export class Changes implements Changing {
  version = 0;
  private readonly listeners = new Set<() => void>();
  private due = false;

  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Something has changed. */
  tell(): void {
    this.version += 1;
    if (this.due) return;
    this.due = true;
    beforeDrawing(() => {
      this.due = false;
      for (const listener of this.listeners) listener();
    });
  }
}

function beforeDrawing(draw: () => void): void {
  let frame = 0;
  const timer = setTimeout(() => once(), LONGEST_MS);
  const once = () => {
    clearTimeout(timer);
    globalThis.cancelAnimationFrame?.(frame);
    draw();
  };
  frame = globalThis.requestAnimationFrame?.(once) ?? 0;
}
