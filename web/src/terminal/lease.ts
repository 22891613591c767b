/** The wish that the session's terminals have the size of this window, while it shows them. */

import {
  type Channel,
  type Client,
  FINAL,
  FIRST_DELAY_MS,
  LONGEST_DELAY_MS,
  LuvusError,
} from "@luvus/client";

export interface Size {
  cols: number;
  rows: number;
}

export interface EffectiveSize extends Size {
  /** Whether this window decides. */
  yours: boolean;
}

/** What the server takes. */
const LEAST: Size = { cols: 20, rows: 5 };
const MOST: Size = { cols: 1000, rows: 500 };

export class Lease {
  private channel: Channel | undefined;
  private retry: ReturnType<typeof setTimeout> | undefined;
  private failures = 0;
  private closed = false;
  private wanted: Size | undefined;

  constructor(
    private readonly client: Client,
    private readonly changed: (size: EffectiveSize | undefined) => void,
  ) {}

  /** Wish for a size. */
  want(size: Size): void {
    const wanted = {
      cols: Math.min(MOST.cols, Math.max(LEAST.cols, size.cols)),
      rows: Math.min(MOST.rows, Math.max(LEAST.rows, size.rows)),
    };
    if (wanted.cols === this.wanted?.cols && wanted.rows === this.wanted.rows) return;
    this.wanted = wanted;
    // Who tries again later asks for what is wished for then.
    if (this.channel !== undefined) this.channel.send({ action: "size", ...wanted });
    else if (this.retry === undefined) this.connect();
  }

  /** Decide the size from now on, whoever did before. */
  take(): void {
    this.channel?.send({ action: "take" });
  }

  close(): void {
    this.closed = true;
    clearTimeout(this.retry);
    this.channel?.close();
  }

  private connect(): void {
    if (this.wanted === undefined || this.closed) return;
    const asked = this.wanted;
    this.channel = this.client.open("view.size", asked, {
      acknowledged: () => {
        this.failures = 0;
        // What was wished for before the stream was open was sent to nobody.
        if (this.wanted !== asked) this.channel?.send({ action: "size", ...this.wanted });
      },
      frame: (frame) => {
        if (frame.event === "view.size") this.changed(frame.data);
      },
      ended: (error) => this.ended(error),
    });
  }

  private ended(error: Error | undefined): void {
    this.channel = undefined;
    this.changed(undefined);
    if (error instanceof LuvusError && FINAL.has(error.code)) {
      this.closed = true;
      return;
    }
    const delay = Math.min(FIRST_DELAY_MS * 2 ** this.failures, LONGEST_DELAY_MS);
    this.failures += 1;
    this.retry = setTimeout(() => {
      this.retry = undefined;
      this.connect();
    }, delay);
  }
}
