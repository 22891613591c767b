/** What happened, as sentences, newest last; bounded, and with its gaps. */

import type { SessionEvent } from "@luvus/client";

import { describe, type Kind, type Naming } from "./sentences.js";

/** Entries that are kept. */
export const ENTRIES = 1_000;

export interface Entry {
  /** The same as long as it is kept. */
  id: number;
  at: number;
  sequence: number | undefined;
  kind: Kind;
  text: string;
  pane: string | undefined;
  /** The name of the workspace where it happened. */
  workspace: string | undefined;
  /** Of a gap: when the last thing before it happened. */
  from: number | undefined;
}

const RESYNC: Record<string, string> = {
  gap: "Some events were missed.",
  server_restarted: "The server was started again; what happened meanwhile is not known.",
  resync_required: "More happened than is kept; the rest is not known.",
  subscriber_overflow: "More happened than this page could follow; some of it is not known.",
};

export class Timeline {
  entries: readonly Entry[] = [];
  private last = 0;
  private newest: number | undefined;
  /** Those since the last snapshot: who they are about may have got a name since it. */
  private unnamed = new Map<number, SessionEvent>();

  add(event: SessionEvent, naming: Naming, now = Date.now()): void {
    this.newest = now;
    const described = describe(event, naming);
    if (described === undefined) return;
    this.push({ ...described, at: now, sequence: event.sequence, from: undefined });
    if (this.unnamed.size < ENTRIES) this.unnamed.set(event.sequence, event);
  }

  gap(reason: string, now = Date.now()): void {
    const text = RESYNC[reason] ?? "Some events were missed.";
    const nothing = { pane: undefined, workspace: undefined, sequence: undefined };
    this.push({ ...nothing, at: now, kind: "gap", text, from: this.newest });
  }

  /** Say again, with the names of a new snapshot, what was said since the last one. */
  name(naming: Naming): void {
    if (this.unnamed.size === 0) return;
    this.entries = this.entries.map((entry) => {
      const event = entry.sequence === undefined ? undefined : this.unnamed.get(entry.sequence);
      return event === undefined ? entry : { ...entry, ...describe(event, naming) };
    });
    this.unnamed = new Map();
  }

  private push(entry: Omit<Entry, "id">): void {
    const id = ++this.last;
    this.entries = [...this.entries.slice(-(ENTRIES - 1)), { id, ...entry }];
  }
}
