/** What the keyboard can do in the terminals: each deed of the mouse, found in the palette. */

import {
  type Direction,
  inWorkspace,
  moveTab,
  neighbour,
  swapTowards,
  TO,
} from "../state/arrange.js";
import type { Command } from "../state/commands.js";
import type { PaneInfo, Session } from "../state/session.js";
import type { PaneHandle } from "./pane.js";

export interface Desk {
  session: Session;
  shown: PaneInfo;
  handle: PaneHandle | undefined;
  readOnly: boolean;
  attempt(work: Promise<unknown>): void;
  onFocus(pane: string): void;
  onSplit(pane: string, direction: "right" | "down"): void;
  onZoom(): void;
  onRenameTab(): void;
  onCloseTab(): void;
}

const DIRECTIONS: readonly Direction[] = ["left", "right", "up", "down"];
/** How many cells one command moves a divider. */
const CELLS = 4;

/** Return the commands for the pane that is shown. */
export function deeds(desk: Desk): Command[] {
  const { session, shown, handle } = desk;
  const pane = shown.id;
  const name = shown.name ?? shown.agent ?? `shell ${pane}`;
  const back = () => handle?.focus();
  const command = (label: string, act: () => void): Command => ({ label, hint: name, act });
  const looking = [
    command("Search in the pane", () => handle?.search()),
    command("Show the pane as text", () => handle?.text()),
    command("Copy the selection", () => {
      handle?.copy();
      back();
    }),
    ...DIRECTIONS.map((to) =>
      command(`Go to the pane ${TO[to]}`, () =>
        desk.attempt(neighbour(session, pane, to).then(desk.onFocus)),
      ),
    ),
  ];
  if (desk.readOnly) return looking;
  const change = (label: string, act: () => Promise<unknown>) =>
    command(label, () => {
      desk.attempt(act());
      back();
    });
  const call = session.client.call.bind(session.client);
  return [
    command("Split to the right", () => desk.onSplit(pane, "right")),
    command("Split downwards", () => desk.onSplit(pane, "down")),
    command("Close the pane", () => handle?.close()),
    command("Zoom the pane, or no longer", desk.onZoom),
    command("Rename the pane", () => handle?.rename()),
    ...looking,
    command("Paste", () => {
      handle?.paste();
      back();
    }),
    ...DIRECTIONS.map((to) =>
      change(`Swap with the pane ${TO[to]}`, () => swapTowards(session, pane, to)),
    ),
    ...DIRECTIONS.map((direction) =>
      change(`Move the divider ${TO[direction]}`, () =>
        call("pane.resize", { pane, direction, cells: CELLS }),
      ),
    ),
    change("Move the pane to a new tab", () => call("pane.move", { pane, new_tab: true })),
    change("New tab", () => inWorkspace(session, shown.workspace, () => call("tab.new"))),
    command("Rename the tab", desk.onRenameTab),
    command("Close the tab", desk.onCloseTab),
    change("Move the tab to the left", () => moveTab(session, shown, "left")),
    change("Move the tab to the right", () => moveTab(session, shown, "right")),
  ];
}
