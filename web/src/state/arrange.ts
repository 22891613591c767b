/** What a person does to tabs and to the places of panes, as calls of the protocol. */

import type { PaneInfo, Session } from "./session.js";
import { beside, type Side, type Tree } from "../terminal/tree.js";

export type Direction = "left" | "right" | "up" | "down";

/** What may end without a question when nothing runs in it. */
const SHELLS = new Set([
  "sh",
  "bash",
  "dash",
  "zsh",
  "fish",
  "ksh",
  "tcsh",
  "nu",
  "pwsh",
  "elvish",
]);

export interface Place {
  workspace: number;
  tab: number;
}

/** Return what would end with a pane: names of programs, or that nobody knows; [] for a shell. */
export async function running(session: Session, pane: string): Promise<readonly string[]> {
  const found = await session.client.call("pane.processes", { pane });
  if (found.scan !== "observed") return ["what runs in it"];
  const [root = "", ...rest] = found.executables;
  return SHELLS.has(root.replace(/^-/, "")) ? rest : found.executables;
}

/** Put a pane where another of its tab is, and that one here; or beside it. */
export async function drop(
  session: Session,
  place: Place,
  tree: Tree,
  pane: string,
  target: string,
  side: Side | "place",
): Promise<void> {
  if (side === "place") await session.client.call("pane.swap", { pane, with: target });
  else {
    const wanted = beside(tree, pane, target, side);
    await session.client.call("layout.apply", { ...place, tree: wanted, focus: pane });
  }
}

/** Put a pane where its neighbour is. */
export async function swapTowards(
  session: Session,
  pane: string,
  direction: Direction,
): Promise<void> {
  const { neighbor } = await session.client.call("pane.neighbor", { pane, direction });
  if (neighbor === null) throw new Error(`There is no pane ${TO[direction]}.`);
  await session.client.call("pane.swap", { pane, with: neighbor });
}

/** Return the pane next to one; focusing it is up to the page. */
export async function neighbour(
  session: Session,
  pane: string,
  direction: Direction,
): Promise<string> {
  const { neighbor } = await session.client.call("pane.neighbor", { pane, direction });
  if (neighbor === null) throw new Error(`There is no pane ${TO[direction]}.`);
  return neighbor;
}

/** Do something with a tab: the server's tab methods speak of the active workspace. */
export async function inWorkspace<T>(
  session: Session,
  workspace: number,
  act: () => Promise<T>,
): Promise<T> {
  await session.client.call("workspace.focus", { workspace: workspace - 1 });
  const done = await act();
  // No event tells of a new name.
  session.refresh();
  return done;
}

/** Move a tab one position to a side. */
export async function moveTab(
  session: Session,
  pane: PaneInfo,
  direction: "left" | "right",
): Promise<void> {
  await inWorkspace(session, pane.workspace, () =>
    session.client.call("tab.move", { tab_id: pane.tabId, direction }),
  );
}

export const TO: Readonly<Record<Direction, string>> = {
  left: "to the left",
  right: "to the right",
  up: "above",
  down: "below",
};
