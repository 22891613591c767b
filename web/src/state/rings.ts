/** What rang for a person: bells, notifications, agents that wait or failed. Bounded, newest last. */

/** Entries that are kept. */
export const RINGS = 100;

export type RingKind = "bell" | "notice" | "blocked" | "failed";

export interface Ring {
  id: number;
  at: number;
  kind: RingKind;
  /** Who: an alias, an agent, or a pane. */
  who: string;
  where: string;
  text: string;
  pane: string | undefined;
  count: number;
}

export type Rung = Omit<Ring, "id" | "at" | "count"> & { count?: number };

export class Rings {
  entries: readonly Ring[] = [];
  unread = 0;
  /** The pane that a person looks at now: its bells are heard there. */
  looking: string | undefined;
  private last = 0;
  private readonly listeners = new Set<(ring: Ring) => void>();

  /** Call back with every ring; returns what stops it. */
  onRing(listener: (ring: Ring) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  ring(rung: Rung, now = Date.now()): void {
    if (rung.kind === "bell" && rung.pane !== undefined && rung.pane === this.looking) return;
    const newest = this.entries.at(-1);
    const again = newest?.kind === "bell" && rung.kind === "bell" && newest.pane === rung.pane;
    const count = (rung.count ?? 1) + (again ? newest.count : 0);
    const ring: Ring = { ...rung, count, at: now, id: again ? newest.id : ++this.last };
    const before = again ? this.entries.slice(0, -1) : this.entries.slice(-(RINGS - 1));
    this.entries = [...before, ring];
    if (!again || this.unread === 0) this.unread = Math.min(RINGS, this.unread + 1);
    for (const listener of this.listeners) listener(ring);
  }

  /** A person has seen the list. */
  read(): void {
    this.unread = 0;
  }
}
