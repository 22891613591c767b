/** The panes of a snapshot, each with where it is. Pure. */

import type { Snapshot, TerminalPane } from "@luvus/client";

import type { AgentState, PaneInfo } from "./session.js";

type Workspace = Snapshot["workspaces"][number];

const STATES = new Set(["blocked", "failed", "working", "done", "idle"]);

/** Return the terminals of a snapshot in their order. */
export function panesOf({ workspaces }: Snapshot): PaneInfo[] {
  return workspaces.flatMap((workspace) =>
    workspace.tabs.flatMap((tab) =>
      tab.panes.flatMap((pane) =>
        pane.kind !== "terminal" ? [] : [{ ...about(pane), ...place(workspace, tab) }],
      ),
    ),
  );
}

/** Return a state that the page knows. */
export function stateOf(status: string | null): AgentState {
  return status !== null && STATES.has(status) ? (status as AgentState) : "unknown";
}

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
