/** Trees and what is done to them, as tables. */

import { describe, expect, test } from "vitest";

import { beside, dropSide, panesOf, stacked, type Tree } from "./tree.js";

const one: Tree = { Leaf: 1 };
const columns = (a: Tree, b: Tree, ratio = 0.5): Tree => ({ Split: { axis: 0, ratio, a, b } });
const rows = (a: Tree, b: Tree, ratio = 0.5): Tree => ({ Split: { axis: 1, ratio, a, b } });
const pane = (id: number): Tree => ({ Leaf: id });

describe("a layout", () => {
  test("names its panes in order and how many stand above one another", () => {
    const tree = columns(rows(pane(3), rows(pane(1), pane(4))), pane(2));

    expect(panesOf(tree)).toEqual(["3", "1", "4", "2"]);
    expect(stacked(tree)).toBe(3);
  });

  test.each([
    [columns(pane(1), pane(2)), "1", "2", "right", columns(pane(2), pane(1))],
    [columns(pane(1), pane(2)), "1", "2", "up", rows(pane(1), pane(2))],
    [
      columns(pane(1), rows(pane(2), pane(3), 0.7), 0.3),
      "3",
      "1",
      "down",
      columns(rows(pane(1), pane(3)), pane(2), 0.3),
    ],
    [columns(pane(1), pane(2), 0.3), "1", "1", "left", columns(pane(1), pane(2), 0.3)],
    [columns(pane(1), pane(2), 0.3), "2", "9", "left", columns(pane(1), pane(2), 0.3)],
    [one, "1", "2", "left", one],
  ] as const)("%j with %s moved beside %s to the %s", (tree, moved, target, side, after) => {
    expect(beside(tree, moved, target, side)).toEqual(after);
  });

  test.each([
    [0.5, 0.5, "place"],
    [0.1, 0.5, "left"],
    [0.9, 0.4, "right"],
    [0.5, 0.05, "up"],
    [0.4, 0.95, "down"],
    [0.1, 0.02, "up"],
  ] as const)("a pane dropped at %d, %d is meant to be at its %s", (x, y, side) => {
    expect(dropSide(x, y)).toBe(side);
  });
});
