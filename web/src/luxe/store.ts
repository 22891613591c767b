/** The open agent sessions as the page knows them: their list, kept true by its stream. */

import { LuvusError, type Luxe, type LuxeRow, type LuxeShown } from "@luvus/client";

import { type Changing, Changes } from "../state/changes.js";

/** What a session asks, or why that cannot be read. */
export type Asked = { key: string } & (
  { shown: LuxeShown; problem: undefined } | { shown: undefined; problem: string }
);

export class LuxeStore implements Changing {
  rows: readonly LuxeRow[] = [];
  /** Whether the list has arrived since the page was opened. */
  known = false;
  /** Set while somebody starts a session: where. */
  starting: { cwd: string | undefined } | undefined;
  private readonly changes = new Changes();
  private readonly asked = new Map<string, Asked>();
  private readonly underWay = new Set<string>();

  constructor(readonly client: Luxe) {
    client.followList((rows) => {
      this.rows = rows;
      this.known = true;
      const open = new Set(rows.map((row) => row.session_id));
      for (const id of this.asked.keys()) if (!open.has(id)) this.asked.delete(id);
      this.changes.tell();
    });
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
  asking(row: LuxeRow): Asked | undefined {
    const key = row.prompts.join(" ");
    const found = this.asked.get(row.session_id);
    if (found?.key !== key) void this.ask(row.session_id, key);
    return found;
  }

  private async ask(id: string, key: string): Promise<void> {
    if (this.underWay.has(id + key)) return;
    this.underWay.add(id + key);
    try {
      const shown = await this.client.session(id);
      this.asked.set(id, { key, shown, problem: undefined });
      this.changes.tell();
    } catch (error) {
      // A lost connection is said elsewhere, and it is asked for again.
      if (!(error instanceof LuvusError)) return;
      this.asked.set(id, { key, shown: undefined, problem: error.message });
      this.changes.tell();
    } finally {
      this.underWay.delete(id + key);
    }
  }
}
