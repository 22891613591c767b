/** One session that is looked at: its stream, its transcript, and what a person does to it. */

import type { Luxe, LuxeActions, LuxeFeed, LuxeFeedState } from "@luvus/client";

import { type Changing, Changes } from "../state/changes.js";
import { Transcript } from "./transcript.js";

export class LiveSession implements Changing {
  readonly transcript = new Transcript();
  connection: LuxeFeedState = "connecting";
  error: Error | undefined;
  private readonly changes = new Changes();
  private readonly feed: LuxeFeed;

  constructor(
    readonly client: Luxe,
    readonly id: string,
  ) {
    this.feed = client.followSession(
      id,
      (event) => {
        this.transcript.take(event);
        this.changes.tell();
      },
      (state, error) => {
        // Trying again is a part of being lost.
        if (state === "connecting" && this.connection === "lost") return;
        this.connection = state;
        this.error = error;
        this.changes.tell();
      },
    );
  }

  get version(): number {
    return this.changes.version;
  }

  subscribe(listener: () => void): () => void {
    return this.changes.subscribe(listener);
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
}
