/**
 * The session as the page knows it: one snapshot, kept true by events. Nothing polls: a snapshot is
 * taken again only because an event, or the loss of one, says that it no longer holds.
 */

import {
  type AgentStatusChanged,
  type Client,
  ConnectionLost,
  Feed,
  type FeedState,
  LuvusError,
  type SessionEvent,
  type Snapshot,
} from "@luvus/client";

import { type Changing, Changes } from "./changes.js";
import { Dismissed } from "./dismissed.js";
import { Figures } from "./figures.js";
import { Names } from "./names.js";
import { panesOf, stateOf } from "./panes.js";
import { Rings } from "./rings.js";
import { endedRow, paneRow, type Row } from "./rows.js";
import { words } from "./sentences.js";
import { Timeline } from "./timeline.js";

export type AgentState = "blocked" | "failed" | "working" | "done" | "idle" | "unknown";

/** A pane and where it is. */
export interface PaneInfo {
  id: string;
  terminal: string | undefined;
  agent: string | undefined;
  name: string | undefined;
  /** What its agent says that it is about. */
  title: string | undefined;
  state: AgentState;
  /** When its state began, as the server says. */
  since: number | undefined;
  cwd: string;
  branch: string | undefined;
  focused: boolean;
  workspace: number;
  workspaceId: string;
  workspaceName: string;
  tab: number;
  tabId: string;
}

export interface Connection {
  state: FeedState;
  /** When it got into this state. */
  since: number;
  error: Error | undefined;
}

/** How long the page goes on with what events say of states before it reads everything again. */
const SOON_MS = 1_000;
/** Between two readings: changes that come in a row are read together. */
const GAP_MS = 50;
/** How long a reading may take before it is given up and begun again. */
const READING_MS = 20_000;
/** Events that are kept while a snapshot is read; after more of them it is read again. */
const MEANWHILE = 1_000;
/** Events that change nothing which a snapshot shows. */
const HARMLESS = new Set([
  "agent.authority_released",
  "agent.authority_reported",
  "agent.hook",
  "config.changed",
  "events.resync_required",
  "mission.changed",
  "pane.bell",
  "pane.notified",
  "terminal.output_ready",
]);

export class Session implements Changing {
  snapshot: Snapshot | undefined;
  panes: readonly PaneInfo[] = [];
  connection: Connection = { state: "connecting", since: Date.now(), error: undefined };
  /** Why the session cannot be read, although the server answers. */
  problem: LuvusError | undefined;
  readonly timeline = new Timeline();
  readonly rings = new Rings();
  /** What agents use and cost. */
  readonly figures: Figures;
  private readonly names = new Names();
  private readonly dismissed = new Dismissed();
  private readonly others = new Map<string, readonly Row[]>();
  private readonly changes = new Changes();
  private readonly outputs = new Set<(pane: string) => void>();
  private readonly heard = new Map<string, Set<() => void>>();
  private readonly feed: Feed;
  private taking = false;
  private stale = true;
  /** Whether the last reading failed, or there was none. */
  private owed = true;
  /** The newest event that the snapshot includes. */
  private included = -1;
  /** What events have shown since the snapshot that is read now was asked for. */
  private meanwhile: SessionEvent[] = [];
  /** The panes that waited when this was last looked at. */
  private waited: ReadonlySet<string> | undefined;
  private soon: ReturnType<typeof setTimeout> | undefined;
  private drawn: readonly Row[] | undefined;
  private failures: Set<string> | undefined;

  constructor(readonly client: Client) {
    this.figures = new Figures(client, () => this.figured());
    this.feed = new Feed(client, {
      onEvent: (event) => this.event(event),
      onResync: (reason) => {
        this.timeline.gap(reason);
        // Another process counts its events anew.
        this.included = -1;
        this.hear("events.resync_required");
        this.refresh();
        void this.figures.begin();
      },
      onState: (state, error) => this.connected(state, error),
    });
  }

  get version(): number {
    return this.changes.version;
  }

  subscribe(listener: () => void): () => void {
    return this.changes.subscribe(listener);
  }

  /** Call back with a pane whose screen has changed; returns what stops it. */
  onOutput(listener: (pane: string) => void): () => void {
    this.outputs.add(listener);
    return () => this.outputs.delete(listener);
  }

  /** Call back after every event of a name; returns what stops it. */
  onEvent(name: string, listener: () => void): () => void {
    const listeners = this.heard.get(name) ?? new Set();
    this.heard.set(name, listeners.add(listener));
    return () => listeners.delete(listener);
  }

  /** Return a pane, if it is there. */
  pane(id: string): PaneInfo | undefined {
    return this.panes.find((pane) => pane.id === id);
  }

  /** Everything that the overview shows, in no order. */
  get rows(): readonly Row[] {
    this.drawn ??= [
      ...this.panes.map((pane) => paneRow(pane, this.figures.rows.get(pane.id))),
      ...this.figures.ended.map(endedRow).filter((row) => !this.dismissed.has(row.key)),
      ...[...this.others.values()].flat(),
    ];
    return this.drawn;
  }

  /** Show rows of another source beside the panes; they replace what it gave before. */
  contribute(source: string, rows: readonly Row[]): void {
    this.others.set(source, rows);
    this.tell();
  }

  /** Put away a failed pane; in this browser only. */
  dismiss(key: string): void {
    this.dismissed.add(key);
    this.tell();
  }

  /** A person has seen what rang. */
  readRings(): void {
    if (this.rings.unread === 0) return;
    this.rings.read();
    this.tell();
  }

  /** Try to connect now, or to read the session again. */
  hurry(): void {
    this.feed.hurry();
    if (this.problem !== undefined) this.refresh();
  }

  private connected(state: FeedState, error?: Error): void {
    // Trying again is part of being lost: what counts is how long nothing has arrived.
    if (state === "connecting" && this.connection.state === "lost") return;
    if (state !== this.connection.state) {
      this.connection = { state, since: Date.now(), error };
    }
    if (state === "live" && this.owed) {
      this.refresh();
      void this.figures.begin();
    }
    this.tell();
  }

  private event(event: SessionEvent): void {
    const name: string = event.event;
    if (name === "terminal.output_ready") {
      const pane = (event.data as { pane_id: string }).pane_id;
      for (const listener of this.outputs) listener(pane);
      return;
    }
    this.timeline.add(event, this.names);
    this.hear(name);
    const known = this.signals(event) || event.sequence <= this.included || this.shows(event);
    if (this.taking) this.keep(event);
    this.ringWaiting();
    if (!known && !HARMLESS.has(name)) {
      this.refresh();
      return;
    }
    // Names, pins and what is shown change without an event of their own; who works changes them.
    if (name === "pane.agent_status_changed")
      this.soon ??= setTimeout(() => this.refresh(), SOON_MS);
    this.tell();
  }

  private hear(name: string): void {
    for (const listener of this.heard.get(name) ?? []) listener();
  }

  /** Take an event that shows in no snapshot; false for any other. */
  private signals(event: SessionEvent): boolean {
    switch (event.event) {
      case "mission.changed":
      case "config.changed":
        void this.figures.read();
        return true;
      case "pane.bell":
        this.ring("bell", event.data.pane, "", event.data.count);
        return true;
      case "pane.notified":
        this.ring("notice", event.data.pane, words(event.data as object as Data));
        return true;
      default:
        return false;
    }
  }

  /** Show at once what an event says whole; whether no snapshot has to be read. */
  private shows(event: SessionEvent): boolean {
    switch (event.event) {
      case "pane.title_changed": {
        const { pane, title } = event.data;
        // What a plain program calls itself is shown nowhere.
        const titled = this.pane(pane)?.agent !== undefined;
        return this.patch(pane, () => true, titled ? { title: title ?? undefined } : {});
      }
      case "pane.agent_status_changed":
        return this.status(event.data);
      default:
        return false;
    }
  }

  // A snapshot may have been made before an event that arrives before it does.
  private keep(event: SessionEvent): void {
    if (event.event !== "pane.title_changed" && event.event !== "pane.agent_status_changed") return;
    if (this.meanwhile.length < MEANWHILE) this.meanwhile.push(event);
    else this.stale = true;
  }

  private status({ pane, status, agent, branch, cwd }: AgentStatusChanged): boolean {
    const state = agent ? stateOf(status) : "unknown";
    // Another agent has another name, title and session.
    const same = (one: PaneInfo) => (one.agent ?? "") === agent;
    const since = agent ? Date.now() : undefined;
    return this.patch(pane, same, { state, since, branch: branch ?? undefined, cwd });
  }

  private patch(
    pane: string,
    fits: (pane: PaneInfo) => boolean,
    changes: Partial<PaneInfo>,
  ): boolean {
    const one = this.pane(pane);
    if (one === undefined || !fits(one)) return false;
    this.panes = this.panes.map((each) => (each === one ? { ...one, ...changes } : each));
    return true;
  }

  private ring(kind: "bell" | "notice" | "blocked", pane: string, text: string, count = 1): void {
    const where = this.names.workspaceOf(pane) ?? "";
    this.rings.ring({ kind, who: this.names.pane(pane), where, text, pane, count });
  }

  /** Ring for those who began to wait, whether an event says so or a snapshot. */
  private ringWaiting(): void {
    const before = this.waited;
    const waiting = this.panes.filter((pane) => pane.state === "blocked").map((pane) => pane.id);
    this.waited = new Set(waiting);
    // Who waited before the page was opened is shown and does not ring.
    if (before === undefined) return;
    for (const id of waiting) if (!before.has(id)) this.ring("blocked", id, "needs you");
  }

  private figured(): void {
    const rows = this.figures.ended.map(endedRow);
    for (const row of rows) {
      // What failed before the page was opened is shown and does not ring.
      if (this.failures === undefined || this.failures.has(row.key)) continue;
      const { name: who, workspaceName: where, detail: text } = row;
      this.rings.ring({ kind: "failed", who, where, text, pane: undefined });
    }
    this.failures = new Set(rows.map((row) => row.key));
    this.tell();
  }

  /** Take a snapshot because something has changed, or because no event tells whether it has. */
  refresh(): void {
    clearTimeout(this.soon);
    this.soon = undefined;
    this.stale = true;
    if (!this.taking) void this.take();
  }

  private async take(): Promise<void> {
    this.taking = true;
    try {
      while (this.stale) {
        this.stale = false;
        this.meanwhile = [];
        const limit = AbortSignal.timeout(READING_MS);
        this.show(await this.client.call("session.snapshot", {}, limit));
        this.owed = false;
        this.problem = undefined;
        await new Promise((resolve) => setTimeout(resolve, GAP_MS));
      }
    } catch (error) {
      this.unread(error as Error);
    } finally {
      this.taking = false;
      this.meanwhile = [];
      this.tell();
    }
  }

  // What was shown stays: it is old, and better than nothing.
  private unread(error: Error): void {
    this.owed = true;
    this.problem = error instanceof LuvusError ? error : undefined;
    if (this.problem !== undefined) return;
    if (!(error instanceof ConnectionLost) && error.name !== "TimeoutError") throw error;
    // A feed that is lost as well has everything read when it is back; nothing else would.
    if (this.connection.state === "live") this.soon ??= setTimeout(() => this.refresh(), SOON_MS);
  }

  private show(snapshot: Snapshot): void {
    this.snapshot = snapshot;
    this.included = snapshot.event_sequence;
    this.dismissed.of(snapshot.server_generation);
    this.panes = panesOf(snapshot);
    this.names.learn(snapshot, this.panes);
    for (const event of this.meanwhile)
      if (event.sequence > this.included && !this.shows(event)) this.stale = true;
    this.ringWaiting();
    this.timeline.name(this.names);
    this.tell();
  }

  private tell(): void {
    this.drawn = undefined;
    this.changes.tell();
  }
}

type Data = Record<string, unknown>;
