/** Agent sessions as rows of the overview, each in the workspace whose folder it works in. */

import type { LuxeRow, MissionSample } from "@luvus/client";

import type { Row } from "../state/rows.js";

/** Minutes of use that are kept. */
const MINUTES = 61;

export interface Folder {
  workspace_id: string;
  name: string;
  cwd: string;
}

export function luxeRow(
  row: LuxeRow,
  folders: readonly Folder[],
  history?: readonly MissionSample[],
): Row {
  const home = workspaceOf(row.cwd, folders);
  const used = row.tokens > 0;
  return {
    key: `luxe:${row.session_id}`,
    name: "luxe",
    detail: row.title === null ? (row.model?.slice(row.model.indexOf("/") + 1) ?? "no model") : "",
    state: row.state,
    since: row.since_ms,
    agent: true,
    workspaceId: home?.workspace_id ?? "",
    workspaceName: home?.name ?? row.cwd.slice(row.cwd.lastIndexOf("/") + 1),
    branch: row.branch ?? undefined,
    title: row.title ?? undefined,
    folder: row.cwd,
    tokens: used ? row.tokens : undefined,
    cost: used ? (row.cost_usd ?? undefined) : undefined,
    burn: undefined,
    history: used ? history : undefined,
    route: { place: "luxe", pane: undefined, session: row.session_id },
    pane: undefined,
    luxe: row,
    text: undefined,
  };
}

/** The workspace with the deepest folder around this one. */
export function workspaceOf(cwd: string, folders: readonly Folder[]): Folder | undefined {
  return folders
    .filter((one) => cwd === one.cwd || cwd.startsWith(one.cwd.replace(/\/?$/, "/")))
    .sort((a, b) => b.cwd.length - a.cwd.length)[0];
}

/** What sessions have used in total, minute by minute, since the page was opened. */
export class Usage {
  private readonly samples = new Map<string, readonly MissionSample[]>();

  of(id: string): readonly MissionSample[] | undefined {
    return this.samples.get(id);
  }

  take(rows: readonly LuxeRow[], minute: number): void {
    const open = new Set(rows.map((row) => row.session_id));
    for (const id of this.samples.keys()) if (!open.has(id)) this.samples.delete(id);
    for (const { session_id: id, tokens } of rows) {
      const known = this.samples.get(id) ?? [];
      // What was used before the page saw it counts as one sample from before.
      const before = known.length === 0 ? [{ minute: minute - 1, tokens }] : known;
      const kept = before.filter((sample) => sample.minute !== minute);
      this.samples.set(id, [...kept, { minute, tokens }].slice(-MINUTES));
    }
  }
}
