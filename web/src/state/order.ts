/** Who comes first: blocked agents, then working ones by age, then done, idle and the rest. */

import type { AgentState, PaneInfo } from "./session.js";

const RANK: Record<AgentState, number> = {
  blocked: 0,
  failed: 1,
  working: 2,
  done: 3,
  idle: 4,
  unknown: 5,
};

export function byUrgency(panes: readonly PaneInfo[]): PaneInfo[] {
  return [...panes].sort(
    (a, b) =>
      RANK[a.state] - RANK[b.state] ||
      Number(b.agent !== undefined) - Number(a.agent !== undefined) ||
      a.since - b.since ||
      Number(a.id) - Number(b.id),
  );
}

/** Those who wait for a person, the longest wait first. */
export function waiting(panes: readonly PaneInfo[]): PaneInfo[] {
  return byUrgency(panes).filter((pane) => pane.state === "blocked" || pane.state === "failed");
}
