/**
 * The session as the page knows it: one snapshot, kept true by events. Nothing polls: a snapshot is
 * taken again only because an event, or the loss of one, says that it no longer holds.
 */

import {
  type AgentStatusChanged,
  type Client,
  Feed,
  type FeedState,
  LuvusError,
  type SessionEvent,
  type Snapshot,
  type TerminalPane,
} from "@luvus/client";

import { Dismissed } from "./dismissed.js";
import { Figures } from "./figures.js";
import { Names } from "./names.js";
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
const STATES = new Set(["blocked", "failed", "working", "done", "idle"]);
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

export class Session {
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
  private readonly listeners = new Set<() => void>();
  private readonly outputs = new Set<(pane: string) => void>();
  private readonly heard = new Map<string, Set<() => void>>();
  private readonly feed: Feed;
  private taking = false;
  private stale = true;
  private soon: ReturnType<typeof setTimeout> | undefined;
  private drawn: readonly Row[] | undefined;
  private failures: Set<string> | undefined;

  constructor(readonly client: Client) {
    this.figures = new Figures(client, () => this.figured());
    this.feed = new Feed(client, {
      onEvent: (event) => this.event(event),
      onResync: (reason) => {
        this.timeline.gap(reason);
        this.refresh();
        void this.figures.begin();
      },
      onState: (state, error) => this.connected(state, error),
    });
  }

  /** Call back after every change; returns what stops it. */
  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
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
    if (state === "live" && this.snapshot === undefined) {
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
    const known = this.apply(event);
    for (const listener of this.heard.get(name) ?? []) listener();
    if (!known && !HARMLESS.has(name)) {
      this.refresh();
      return;
    }
    // Names, pins and what is shown change without an event of their own; who works changes them.
    if (name === "pane.agent_status_changed")
      this.soon ??= setTimeout(() => this.refresh(), SOON_MS);
    this.tell();
  }

  /** Show at once what an event says whole; whether no snapshot has to be read. */
  private apply(event: SessionEvent): boolean {
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
      case "pane.title_changed": {
        const { pane, title } = event.data;
        const titled = (one: PaneInfo) => one.agent !== undefined;
        return this.patch(pane, titled, { title: title ?? undefined });
      }
      case "pane.agent_status_changed":
        return this.status(event.data);
      default:
        return false;
    }
  }

  private status({ pane, status, agent, branch, cwd }: AgentStatusChanged): boolean {
    const state = agent ? stateOf(status) : "unknown";
    const before = this.pane(pane);
    // Another agent has another name, title and session.
    const same = (one: PaneInfo) => (one.agent ?? "") === agent;
    const since = agent ? Date.now() : undefined;
    const changes = { state, since, branch: branch ?? undefined, cwd };
    const known = this.patch(pane, same, changes);
    if (state === "blocked" && before?.state !== "blocked") this.ring("blocked", pane, "needs you");
    return known;
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
        this.show(await this.client.call("session.snapshot"));
      }
      this.problem = undefined;
    } catch (error) {
      // When the feed is lost as well it says so, and asks for a snapshot when it is back.
      this.problem = error instanceof LuvusError ? error : undefined;
      this.snapshot = undefined;
    } finally {
      this.taking = false;
      this.tell();
    }
  }

  private show(snapshot: Snapshot): void {
    this.snapshot = snapshot;
    this.dismissed.of(snapshot.server_generation);
    this.panes = snapshot.workspaces.flatMap((workspace) =>
      workspace.tabs.flatMap((tab) =>
        tab.panes.flatMap((pane) =>
          pane.kind !== "terminal" ? [] : [{ ...about(pane), ...place(workspace, tab) }],
        ),
      ),
    );
    this.names.learn(snapshot, this.panes);
    this.timeline.name(this.names);
    this.tell();
  }

  private tell(): void {
    this.drawn = undefined;
    for (const listener of this.listeners) listener();
  }
}

type Data = Record<string, unknown>;
type Workspace = Snapshot["workspaces"][number];

function about(pane: TerminalPane) {
  return {
    id: pane.pane_id,
    terminal: pane.terminal_id ?? undefined,
    agent: pane.agent || undefined,
    name: pane.agent_name ?? undefined,
    title: pane.agent_title ?? undefined,
    state: stateOf(pane.agent_status),
    since: pane.agent_status_since_ms ?? undefined,
    cwd: pane.cwd,
    focused: pane.focused,
  };
}

function place(workspace: Workspace, tab: Workspace["tabs"][number]) {
  return {
    branch: workspace.branch ?? undefined,
    workspace: workspace.index,
    workspaceId: workspace.workspace_id,
    workspaceName: workspace.name,
    tab: tab.index,
    tabId: tab.tab_id,
  };
}

function stateOf(status: string | null): AgentState {
  return status !== null && STATES.has(status) ? (status as AgentState) : "unknown";
}
