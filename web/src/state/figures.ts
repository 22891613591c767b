/** What agents use and cost, as the server last said; read again when it says that this changed. */

import {
  type Client,
  LuvusError,
  type MissionEnded,
  type MissionRow,
  type MissionSnapshot,
} from "@luvus/client";

/** How long a reading may take before it is given up; the next announcement begins another. */
const READING_MS = 20_000;

export class Figures {
  /** Live agents, by pane. */
  rows: ReadonlyMap<string, MissionRow> = new Map();
  /** Panes whose program failed, oldest first. */
  ended: readonly MissionEnded[] = [];
  /** US dollars that people mean to spend. */
  budget: number | undefined;
  private taking = false;
  private stale = false;

  constructor(
    private readonly client: Client,
    private readonly changed: () => void,
  ) {}

  /** Have everything read anew; the server says when that is done. */
  async begin(): Promise<void> {
    await this.read();
    await this.attempt(() => this.client.call("mission.refresh", { scope: "all" }));
  }

  /** Read what the server knows now; readings that are asked for meanwhile become one. */
  async read(): Promise<void> {
    this.stale = true;
    if (this.taking) return;
    this.taking = true;
    try {
      while (this.stale) {
        this.stale = false;
        const limit = AbortSignal.timeout(READING_MS);
        const found = await this.attempt(() =>
          this.client.call("mission.snapshot", { scope: "all" }, limit),
        );
        if (found !== undefined) this.take(found);
      }
    } finally {
      this.taking = false;
    }
  }

  private take(found: MissionSnapshot): void {
    this.rows = new Map(
      found.rows.flatMap((row) => (row.pane === null ? [] : [[row.pane, row] as const])),
    );
    this.ended = found.ended;
    this.budget = found.summary.budget_usd ?? undefined;
    this.changed();
  }

  private async attempt<T>(call: () => Promise<T>): Promise<T | undefined> {
    try {
      return await call();
    } catch (error) {
      // What was known before stays; a lost connection is said elsewhere, and an empty session
      // has no figures.
      if (error instanceof LuvusError && error.code !== "no_session") console.error(error);
      return undefined;
    }
  }
}
