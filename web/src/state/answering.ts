/** One answer at a time to the dialog of a pane, walking menus by arrows; knows no view. */

import { type Choice, choices, USUAL } from "./dialog.js";

/** How long an answer may take to change the screen before it can be given again. */
export const ANSWER_MS = 5_000;

export interface Presses {
  /** Press a key; refused unless the screen is still at this revision. */
  press(key: string, revision: number | undefined): Promise<void>;
  onChange(): void;
  onFailed(message: string): void;
}

export class Answering {
  /** What the dialog that is shown offers. */
  offered: readonly Choice[] = USUAL;
  private revision: number | undefined;
  /** The entry of a menu that is being walked to. */
  private wanted: Choice | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly presses: Presses) {}

  /** Whether an answer is under way: given, and nothing came of it yet. */
  get busy(): boolean {
    return this.timer !== undefined;
  }

  /** Take the screen that is shown now. */
  see(revision: number, text: string): void {
    const moved = this.revision !== revision;
    this.revision = revision;
    this.offered = choices(text);
    const { wanted } = this;
    if (moved && this.busy) {
      const next = this.offered.find(
        ({ key, label, move }) =>
          move !== undefined && key === wanted?.key && label === wanted.label,
      );
      // Another menu has come meanwhile: what was read is what is answered.
      if (next === undefined) this.end();
      else void this.step(next);
    }
    this.presses.onChange();
  }

  /** Give an answer, unless one is under way. */
  answer(choice: Choice): void {
    if (this.busy) return;
    this.timer = setTimeout(() => this.end(), ANSWER_MS);
    void this.step(choice);
  }

  /** Forget what is under way. */
  end(): void {
    clearTimeout(this.timer);
    this.timer = this.wanted = undefined;
    this.presses.onChange();
  }

  private async step(choice: Choice): Promise<void> {
    // One key for each screen that was seen: a menu that drops or doubles keys is not mistaken.
    this.wanted = choice.move ? choice : undefined;
    this.presses.onChange();
    try {
      await this.presses.press(keyOf(choice), this.revision);
    } catch (error) {
      this.end();
      this.presses.onFailed((error as Error).message);
    }
  }
}

function keyOf({ key, move }: Choice): string {
  if (move === undefined) return key;
  if (move === 0) return "enter";
  return move > 0 ? "down" : "up";
}
