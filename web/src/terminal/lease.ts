/** The wish that the session's terminals have the size of this window, while it shows them. */

import type { Channel, Client } from "@luvus/client";

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
const RETRY_MS = 1_000;

export class Lease {
  private channel: Channel | undefined;
  private retry: ReturnType<typeof setTimeout> | undefined;
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
    if (this.channel === undefined) this.connect();
    else this.channel.send({ action: "size", ...wanted });
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
    this.channel = this.client.open("view.size", this.wanted, {
      frame: (frame) => {
        if (frame.event === "view.size") this.changed(frame.data);
      },
      ended: () => {
        this.channel = undefined;
        this.changed(undefined);
        this.retry = setTimeout(() => this.connect(), RETRY_MS);
      },
    });
  }
}
