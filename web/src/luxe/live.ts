/** One session that is looked at: its stream, its transcript, and what a person does to it. */

import type { Luxe, LuxeActions, LuxeFeed, LuxeFeedState } from "@luvus/client";

import { Transcript } from "./transcript.js";

/** Schedules the next drawing; many frames of a session are drawn at once. */
export type Schedule = (draw: () => void) => void;

export class LiveSession {
  readonly transcript = new Transcript();
  connection: LuxeFeedState = "connecting";
  error: Error | undefined;
  /** Grows with every drawing. */
  version = 0;
  private readonly listeners = new Set<() => void>();
  private readonly feed: LuxeFeed;
  private due = false;

  constructor(
    readonly client: Luxe,
    readonly id: string,
    private readonly schedule: Schedule = (draw) => void requestAnimationFrame(draw),
  ) {
    this.feed = client.followSession(
      id,
      (event) => {
        this.transcript.take(event);
        this.changed();
      },
      (state, error) => {
        // Trying again is a part of being lost.
        if (state === "connecting" && this.connection === "lost") return;
        this.connection = state;
        this.error = error;
        this.changed();
      },
    );
  }

  /** Call back before the next drawing after a change; returns what stops it. */
  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Do one action; throws when it is refused. */
  act<K extends keyof LuxeActions>(kind: K, content?: LuxeActions[K]): Promise<void> {
    return this.client.act(this.id, kind, ...([content] as never));
  }

  hurry(): void {
    this.feed.hurry();
  }

  close(): void {
    this.feed.close();
  }

  private changed(): void {
    if (this.due) return;
    this.due = true;
    this.schedule(() => {
      this.due = false;
      this.version += 1;
      for (const listener of this.listeners) listener();
    });
  }
}
