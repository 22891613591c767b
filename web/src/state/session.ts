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
  type MissionSummary,
  type MissionUsage,
  type SessionEvent,
  type Snapshot,
  type TerminalPane,
} from "@luvus/client";

import { Timeline } from "./timeline.js";

export type AgentState = "blocked" | "failed" | "working" | "done" | "idle" | "unknown";

/** A pane and where it is. */
export interface PaneInfo {
  id: string;
  terminal: string | undefined;
  agent: string | undefined;
  name: string | undefined;
  state: AgentState;
  /** When its state was seen to begin, or when this page first saw it. */
  since: number;
  /** Whether its state began before this page saw it. */
  older: boolean;
  cwd: string;
  branch: string | undefined;
  focused: boolean;
  workspace: number;
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

const STATES = new Set(["blocked", "failed", "working", "done", "idle"]);
/** Events that change nothing which a snapshot shows. */
const HARMLESS = new Set(["terminal.output_ready", "events.resync_required"]);
const STATUS_CHANGED = "pane.agent_status_changed";
/** Between two readings of what agents have used. */
const USAGE_GAP_MS = 2_000;

export class Session {
  snapshot: Snapshot | undefined;
  panes: readonly PaneInfo[] = [];
  /** What the agents have used, by pane; as of the server's last scan. */
  usage: ReadonlyMap<string, MissionUsage> = new Map();
  summary: MissionSummary | undefined;
  connection: Connection = { state: "connecting", since: Date.now(), error: undefined };
  readonly timeline = new Timeline();
  private readonly listeners = new Set<() => void>();
  private readonly outputs = new Set<(pane: string) => void>();
  private readonly heard = new Map<string, Set<() => void>>();
  private readonly since = new Map<string, { state: AgentState; since: number; older: boolean }>();
  private readonly feed: Feed;
  private taking = false;
  private usageTimer: ReturnType<typeof setTimeout> | undefined;
  private stale = true;

  constructor(readonly client: Client) {
    this.feed = new Feed(client, {
      onEvent: (event) => this.event(event),
      onResync: (reason) => {
        this.timeline.gap(reason);
        this.refresh();
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

  /** Try to connect now. */
  hurry(): void {
    this.feed.hurry();
  }

  private connected(state: FeedState, error?: Error): void {
    // Trying again is part of being lost: what counts is how long nothing has arrived.
    if (state === "connecting" && this.connection.state === "lost") return;
    if (state !== this.connection.state) {
      this.connection = { state, since: Date.now(), error };
    }
    if (state === "live" && this.snapshot === undefined) this.refresh();
    this.tell();
  }

  private event(event: SessionEvent): void {
    const name: string = event.event;
    if (name === "terminal.output_ready") {
      const pane = (event.data as { pane_id: string }).pane_id;
      for (const listener of this.outputs) listener(pane);
    }
    this.timeline.add(event);
    if (name === STATUS_CHANGED) this.patch(event.data);
    for (const listener of this.heard.get(name) ?? []) listener();
    if (!HARMLESS.has(name)) this.refresh();
  }

  /** Show a new state at once; the snapshot that follows says the rest. */
  private patch(data: object): void {
    const { pane, status } = data as AgentStatusChanged;
    const state = stateOf(status);
    this.panes = this.panes.map((one) =>
      one.id === pane ? { ...one, ...this.note(pane, state) } : one,
    );
    this.tell();
  }

  /** Read what agents have used, soon, because something happened to one of them. */
  private askUsage(scan = true): void {
    if (this.usageTimer !== undefined || !this.panes.some((pane) => pane.agent)) return;
    this.usageTimer = setTimeout(() => {
      this.usageTimer = undefined;
      void this.takeUsage(scan);
    }, USAGE_GAP_MS);
  }

  private async takeUsage(scan: boolean): Promise<void> {
    try {
      if (scan) await this.client.call("mission.refresh", { scope: "all" });
      const mission = await this.client.call("mission.snapshot", { scope: "all" });
      const live = mission.rows.flatMap((row) =>
        row.pane !== null && row.usage !== null ? [[row.pane, row.usage] as const] : [],
      );
      this.usage = new Map(live);
      this.summary = mission.summary;
      // Nothing tells when a scan is over; it was asked for here and takes a moment.
      if (mission.refreshing) this.askUsage(false);
      this.tell();
    } catch (error) {
      // What was known before stays; a lost connection is said elsewhere.
      if (error instanceof LuvusError) console.error(error);
    }
  }

  /** Take a snapshot because something has changed, or because no event tells whether it has. */
  refresh(): void {
    this.stale = true;
    if (!this.taking) void this.take();
  }

  private async take(): Promise<void> {
    this.taking = true;
    try {
      while (this.stale) {
        this.stale = false;
        const snapshot = await this.client.call("session.snapshot");
        this.read(snapshot);
        this.tell();
        this.askUsage();
      }
    } catch (error) {
      // The feed is lost as well and says so; it asks for a snapshot when it is back.
      if (error instanceof LuvusError) console.error(error);
      this.snapshot = undefined;
    } finally {
      this.taking = false;
    }
  }

  private read(snapshot: Snapshot): void {
    this.snapshot = snapshot;
    const panes: PaneInfo[] = [];
    for (const workspace of snapshot.workspaces) {
      for (const tab of workspace.tabs) {
        for (const pane of tab.panes) {
          if (pane.kind !== "terminal") continue;
          panes.push({
            ...this.about(pane),
            branch: workspace.branch ?? undefined,
            workspace: workspace.index,
            workspaceName: workspace.name,
            tab: tab.index,
            tabId: tab.tab_id,
          });
        }
      }
    }
    const live = new Set(panes.map((pane) => pane.id));
    for (const id of this.since.keys()) if (!live.has(id)) this.since.delete(id);
    this.panes = panes;
  }

  private about(pane: TerminalPane) {
    const state = stateOf(pane.agent_status);
    return {
      id: pane.pane_id,
      terminal: pane.terminal_id ?? undefined,
      agent: pane.agent || undefined,
      name: pane.agent_name ?? undefined,
      ...this.note(pane.pane_id, state),
      cwd: pane.cwd,
      focused: pane.focused,
    };
  }

  private note(pane: string, state: AgentState) {
    const known = this.since.get(pane);
    if (known?.state === state) return known;
    const noted = { state, since: Date.now(), older: known === undefined };
    this.since.set(pane, noted);
    return noted;
  }

  private tell(): void {
    for (const listener of this.listeners) listener();
  }
}

function stateOf(status: string | null): AgentState {
  return status !== null && STATES.has(status) ? (status as AgentState) : "unknown";
}
