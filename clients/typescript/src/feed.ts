/**
 * A feed of events that survives lost connections: it resumes where it was, and says so when
 * events were missed. A feed never goes on as if nothing had been lost.
 */

import type { Client, SessionEvent } from "./client.js";
import { ConnectionLost, LuvusError } from "./errors.js";
import type { Channel } from "./transport.js";

export const FIRST_DELAY_MS = 100;
export const LONGEST_DELAY_MS = 5_000;

/** Refusals after which trying again cannot help. */
export const FINAL: ReadonlySet<string> = new Set(["logged_out", "forbidden"]);

export type FeedState = "connecting" | "live" | "lost" | "ended";

export interface FeedEvents {
  onEvent(event: SessionEvent): void;
  /** Events were missed: take a snapshot and drop events up to its `event_sequence`. */
  onResync(reason: string): void;
  /** `error` says why a feed was lost or has ended. */
  onState?(state: FeedState, error?: Error): void;
}

export interface Timer {
  set(act: () => void, delay: number): unknown;
  clear(handle: unknown): void;
}

export const REAL: Timer = {
  set: (act, delay) => setTimeout(act, delay),
  clear: (handle) => clearTimeout(handle as number),
};

/** Follow the session's events until `close` is called or the login ends. */
export class Feed {
  private channel: Channel | undefined;
  private cursor: number | undefined;
  private waiting: unknown;
  private failures = 0;
  private closed = false;
  private owed: string | undefined;
  private generation: string | undefined;

  constructor(
    private readonly client: Client,
    private readonly events: FeedEvents,
    private readonly timer: Timer = REAL,
  ) {
    void this.connect();
  }

  /** The sequence of the newest event that was seen. */
  get sequence(): number | undefined {
    return this.cursor;
  }

  /** Try again now instead of at the end of the present delay. */
  hurry(): void {
    if (this.waiting === undefined) return;
    this.timer.clear(this.waiting);
    this.waiting = undefined;
    void this.connect();
  }

  /** End the feed; nothing is reported afterwards. */
  close(): void {
    this.closed = true;
    this.channel?.close();
    if (this.waiting !== undefined) this.timer.clear(this.waiting);
  }

  private async connect(): Promise<void> {
    this.events.onState?.("connecting");
    // A sequence means nothing to another process, which may have reached it on its own by now.
    try {
      await this.recognise();
    } catch (error) {
      this.lost(error as Error);
      return;
    }
    if (this.closed) return;
    const params =
      this.cursor === undefined ? {} : { after_sequence: this.cursor };
    this.channel = this.client.open("events.subscribe", params, {
      acknowledged: (result) => this.acknowledged(result.sequence),
      frame: (frame) => this.frame(frame as unknown as SessionEvent),
      ended: (error) => this.ended(error),
    });
  }

  private async recognise(): Promise<void> {
    const { server_generation: generation } =
      await this.client.call("uhp.capabilities");
    if (this.generation !== undefined && generation !== this.generation) {
      this.cursor = undefined;
      this.owed = "server_restarted";
    }
    this.generation = generation;
  }

  private acknowledged(sequence: number): void {
    this.failures = 0;
    this.cursor ??= sequence;
    this.events.onState?.("live");
    const owed = this.owed;
    this.owed = undefined;
    if (owed !== undefined) this.events.onResync(owed);
  }

  private frame(frame: SessionEvent): void {
    if (frame.event.endsWith(".resync_required")) {
      this.cursor = undefined;
      this.owed = "subscriber_overflow";
      return;
    }
    const missed =
      this.cursor !== undefined && frame.sequence !== this.cursor + 1;
    this.cursor = frame.sequence;
    if (missed) this.events.onResync("gap");
    this.events.onEvent(frame);
  }

  private ended(error?: Error): void {
    if (this.closed) return;
    this.channel = undefined;
    const cursorRefused =
      error instanceof LuvusError &&
      this.cursor !== undefined &&
      "sequence" in error.problem;
    if (cursorRefused) {
      this.cursor = undefined;
      this.owed = error.code;
      void this.connect();
    } else {
      this.lost(error ?? new ConnectionLost("the stream ended"));
    }
  }

  private lost(error: Error): void {
    if (this.closed) return;
    if (error instanceof LuvusError && FINAL.has(error.code)) {
      this.closed = true;
      this.events.onState?.("ended", error);
      return;
    }
    this.events.onState?.("lost", error);
    const delay = Math.min(
      FIRST_DELAY_MS * 2 ** this.failures,
      LONGEST_DELAY_MS,
    );
    this.failures += 1;
    this.waiting = this.timer.set(() => {
      this.waiting = undefined;
      void this.connect();
    }, delay);
  }
}
