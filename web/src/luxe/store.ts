/** The open agent sessions as the page knows them: their list, kept true by its stream. */

import {
  ConnectionLost,
  type Luxe,
  type LuxeFeed,
  type LuxeFeedState,
  type LuxeRow,
  type LuxeShown,
} from "@luvus/client";

import { type Changing, Changes } from "../state/changes.js";

export class LuxeStore implements Changing {
  rows: readonly LuxeRow[] = [];
  state: LuxeFeedState = "connecting";
  /** Whether the list has arrived since the page was opened. */
  known = false;
  /** Set while somebody starts a session: where. */
  starting: { cwd: string | undefined } | undefined;
  private readonly changes = new Changes();
  private readonly asked = new Map<string, { key: string; shown: LuxeShown }>();
  private readonly feed: LuxeFeed;

  constructor(readonly client: Luxe) {
    this.feed = client.followList(
      (rows) => {
        this.rows = rows;
        this.known = true;
        const open = new Set(rows.map((row) => row.session_id));
        for (const id of this.asked.keys()) if (!open.has(id)) this.asked.delete(id);
        this.changes.tell();
      },
      (state) => {
        this.state = state;
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

  /** Ask where and how a session begins. */
  start(cwd: string | undefined): void {
    this.starting = { cwd };
    this.changes.tell();
  }

  /** It has begun, or nobody wants it any more. */
  started(): void {
    this.starting = undefined;
    this.changes.tell();
  }

  row(id: string): LuxeRow | undefined {
    return this.rows.find((row) => row.session_id === id);
  }

  /** Return what a session asks, as far as it was read; it is read when the list says so. */
  asking(row: LuxeRow): LuxeShown | undefined {
    const key = row.prompts.join(" ");
    const found = this.asked.get(row.session_id);
    if (found?.key === key) return found.shown;
    void this.ask(row.session_id, key);
    return found?.shown;
  }

  /** Try to connect now. */
  hurry(): void {
    this.feed.hurry();
  }

  private readonly underWay = new Set<string>();

  private async ask(id: string, key: string): Promise<void> {
    if (this.underWay.has(id + key)) return;
    this.underWay.add(id + key);
    try {
      const shown = await this.client.session(id);
      this.asked.set(id, { key, shown });
      this.changes.tell();
    } catch (error) {
      // The list says what became of it; a lost connection is said elsewhere.
      if (!(error instanceof ConnectionLost)) console.warn(error);
    } finally {
      this.underWay.delete(id + key);
    }
  }
}
