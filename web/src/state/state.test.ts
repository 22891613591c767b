/** The pure rules of the page. */

import { expect, test } from "vitest";

import { panesOf, stacked, type Tree } from "../terminal/tree.js";
import { age, count, money, shortPath, UNKNOWN } from "./format.js";
import { score } from "./match.js";
import { byUrgency, foremost, waiting } from "./order.js";
import { address, parse } from "./route.js";
import { paneRow } from "./rows.js";
import type { AgentState, PaneInfo } from "./session.js";

const pane = (id: string, state: AgentState, since: number | undefined = 0): PaneInfo => ({
  id,
  state,
  since,
  agent: state === "unknown" ? undefined : "claude",
  branch: undefined,
  cwd: "/",
  focused: false,
  name: undefined,
  tab: 1,
  tabId: "t",
  terminal: "0",
  title: undefined,
  workspace: 1,
  workspaceId: "w1",
  workspaceName: "w",
});
const row = (id: string, state: AgentState, since?: number) =>
  paneRow(pane(id, state, since), undefined);

test("who needs somebody comes first, then the longest in its state", () => {
  const rows = [
    row("1", "idle"),
    row("2", "working", 20),
    row("3", "blocked", 50),
    row("4", "unknown"),
    row("5", "blocked", 10),
    row("6", "working", 5),
    row("7", "failed", 1),
    row("10", "working", 5),
  ];

  expect(byUrgency(rows).map((one) => one.detail)).toEqual("5 3 7 6 10 2 1 4".split(" "));
  expect(foremost(rows)).toBe("blocked");
  expect(foremost([])).toBeUndefined();
});

test("the queue is in the order in which they began to wait, whatever for", () => {
  const rows = [row("1", "blocked", 30), row("2", "failed", 20), row("3", "blocked", 10)];

  expect(waiting([...rows, row("4", "working", 1)]).map((one) => one.detail)).toEqual([
    "3",
    "2",
    "1",
  ]);
});

test("what is not known is a dash and never 0", () => {
  expect([age(undefined, 0), count(undefined), money(undefined)]).toEqual([
    UNKNOWN,
    UNKNOWN,
    UNKNOWN,
  ]);
  expect([count(0), money(0)]).toEqual(["0", "$0.00"]);
});

test("numbers have three digits at most and a unit", () => {
  expect([950, 1_200, 88_000, 310_400, 1_200_000, 2e9].map(count)).toEqual([
    "950",
    "1.2k",
    "88k",
    "310k",
    "1.2M",
    "2.0G",
  ]);
  expect([0, 59e3, 60e3, 3_600e3, 86_400e3].map((ms) => age(0, ms))).toEqual([
    "0s",
    "59s",
    "1m",
    "1h",
    "1d",
  ]);
});

test("a long path keeps its end", () => {
  expect(shortPath("/home/me/work/api-service/packages/core", 24)).toBe("…/packages/core");
  expect(shortPath("/short")).toBe("/short");
});

test("every address leads back to the place that it was made from", () => {
  for (const route of [
    { place: "overview", pane: undefined },
    { place: "terminals", pane: undefined },
    { place: "terminals", pane: "12" },
    { place: "activity", pane: undefined },
  ] as const) {
    expect(parse(address(route))).toEqual(route);
  }
  expect(parse("/terminals/012")).toEqual({ place: "terminals", pane: undefined });
  expect(parse("/nonsense")).toEqual({ place: "overview", pane: undefined });
});

test("letters have to occur in order, and beginnings of words count more", () => {
  expect(score("psp", "pane.split")).toBeGreaterThan(0);
  expect(score("xyz", "pane.split")).toBe(0);
  expect(score("ps", "pane.split")).toBeGreaterThan(score("ps", "capsule"));
});

test("a tree knows its panes and how many stand above one another", () => {
  const tree: Tree = {
    Split: {
      axis: 0,
      ratio: 0.5,
      a: { Leaf: 1 },
      b: { Split: { axis: 1, ratio: 0.5, a: { Leaf: 2 }, b: { Leaf: 3 } } },
    },
  };

  expect(panesOf(tree)).toEqual(["1", "2", "3"]);
  expect(stacked(tree)).toBe(2);
});
