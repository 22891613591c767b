/**
 * One line of the overview: a pane, a pane that failed and is gone, or an agent of another kind.
 * What the table, the rail, the queue and the palette show comes from here.
 */

import type { LuxeRow, MissionEnded, MissionRow, MissionSample } from "@luvus/client";

import type { Route } from "./route.js";
import type { AgentState, PaneInfo } from "./session.js";

export interface Row {
  /** The same as long as it is the same: `pane:1`, `ended:7`. */
  key: string;
  /** What people call it. */
  name: string;
  /** What tells it from others of that name. */
  detail: string;
  state: AgentState;
  /** When it got into its state; undefined when that is not known. */
  since: number | undefined;
  /** Whether it is an agent, not a plain program. */
  agent: boolean;
  workspaceId: string;
  workspaceName: string;
  branch: string | undefined;
  /** What it says that it is about. */
  title: string | undefined;
  folder: string;
  tokens: number | undefined;
  /** US dollars. */
  cost: number | undefined;
  /** US dollars an hour. */
  burn: number | undefined;
  history: readonly MissionSample[] | undefined;
  /** Where it is opened. */
  route: Route | undefined;
  /** Its pane, when it is in one: it can be read, prompted and answered. */
  pane: PaneInfo | undefined;
  /** Its session, when it is an agent of ours: it can be read, prompted and answered. */
  luxe?: LuxeRow | undefined;
  /** Its last lines, when there is no screen any more that could be read. */
  text: string | undefined;
}

export function paneRow(pane: PaneInfo, figures: MissionRow | undefined): Row {
  return {
    key: `pane:${pane.id}`,
    name: nameOf(pane),
    // A name of its own hides which agent it is.
    detail: pane.name !== undefined && pane.agent !== undefined ? pane.agent : pane.id,
    state: pane.state,
    since: pane.since,
    agent: pane.agent !== undefined,
    workspaceId: pane.workspaceId,
    workspaceName: pane.workspaceName,
    branch: pane.branch,
    title: pane.title,
    folder: pane.cwd,
    tokens: figures?.usage?.total_tokens,
    cost: figures?.usage?.cost_usd ?? undefined,
    burn: figures?.burn_usd_per_hour ?? undefined,
    history: figures?.usage ? figures.history : undefined,
    route: { place: "terminals", pane: pane.id },
    pane,
    text: undefined,
  };
}

export function endedRow(ended: MissionEnded): Row {
  return {
    key: `ended:${ended.pane}`,
    name: ended.name ?? (ended.agent || `pane ${ended.pane}`),
    detail: how(ended),
    state: "failed",
    since: ended.at_ms,
    agent: ended.agent !== "",
    workspaceId: ended.workspace_id,
    workspaceName: ended.workspace_name,
    branch: ended.branch ?? undefined,
    title: ended.title ?? undefined,
    folder: ended.cwd,
    tokens: ended.usage?.total_tokens,
    cost: ended.usage?.cost_usd ?? undefined,
    burn: undefined,
    history: undefined,
    route: undefined,
    pane: undefined,
    text: ended.text,
  };
}

/** What people call a pane. */
export function nameOf(pane: PaneInfo): string {
  return pane.name ?? pane.agent ?? "shell";
}

/** What tells a row from the others where there is no room for more. */
export function labelOf(row: Row): string {
  // All sessions have the same name: what they are about tells them apart.
  if (row.luxe !== undefined) return row.title ?? row.name;
  return row.agent ? row.name : `${row.name} ${row.detail}`;
}

/** The kinds of agents in panes of whose use nothing is known. */
export function uncounted(rows: readonly Row[]): string[] {
  const kinds = rows.flatMap(({ pane, tokens }) =>
    pane?.agent !== undefined && tokens === undefined ? [pane.agent] : [],
  );
  return [...new Set(kinds)].sort();
}

/** What all rows have cost together, and cost an hour; undefined when none of them is known. */
export function spent(rows: readonly Row[]): {
  tokens: number | undefined;
  cost: number | undefined;
  burn: number | undefined;
} {
  return {
    tokens: sum(rows.map((row) => row.tokens)),
    cost: sum(rows.map((row) => row.cost)),
    burn: sum(rows.map((row) => row.burn)),
  };
}

function sum(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : known.reduce((a, b) => a + b, 0);
}

function how(ended: MissionEnded): string {
  return ended.signal !== null
    ? `ended by ${ended.signal}`
    : `exit code ${ended.exit_code ?? "unknown"}`;
}
