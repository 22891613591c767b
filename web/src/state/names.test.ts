/** Names outlive what they name, within a limit. */

import type { Snapshot } from "@luvus/client";
import { expect, test } from "vitest";

import { KNOWN, Names } from "./names.js";
import type { PaneInfo } from "./session.js";

const snapshot = { workspaces: [{ name: "api" }] } as unknown as Snapshot;
const pane = (id: number, name?: string) =>
  ({ id: String(id), name, agent: "claude", workspaceName: "api" }) as unknown as PaneInfo;

test("a pane keeps its last name after it is gone", () => {
  const names = new Names();
  names.learn(snapshot, [pane(1, "rev"), pane(2)]);
  names.learn(snapshot, []);

  expect([names.pane("1"), names.pane("2"), names.pane("3")]).toEqual(["rev", "claude", "pane 3"]);
  expect([names.workspaceOf("1"), names.workspaceAt(0), names.workspaceAt(1)]).toEqual([
    "api",
    "api",
    undefined,
  ]);
  expect([names.isAgent("1"), names.isAgent("3")]).toEqual([true, false]);
});

test("the names that were not seen for longest are forgotten first", () => {
  const names = new Names();
  const many = Array.from({ length: KNOWN }, (_, id) => pane(id));
  names.learn(snapshot, many);
  names.learn(snapshot, [pane(0, "kept"), pane(KNOWN, "new")]);

  expect([names.pane("0"), names.pane("1"), names.pane(String(KNOWN))]).toEqual([
    "kept",
    "pane 1",
    "new",
  ]);
});
