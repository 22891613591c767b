/** The split tree of a tab, as the page draws and rearranges it. Pure. */

import type { Layout } from "@luvus/client";

export type Tree = Layout["tree"];
export type Path = readonly ("a" | "b")[];
export type Parts = Extract<Tree, { Split: unknown }>["Split"];
export type Side = "left" | "right" | "up" | "down";

export const COLUMNS = 0;
const ROWS = 1;
/** How much of a pane's width and height, at each edge, means "beside it". */
const EDGE = 0.25;

/** Return the two parts of a split, or undefined for a pane. */
export function parts(tree: Tree): Parts | undefined {
  return "Split" in tree ? tree.Split : undefined;
}

/** Return the pane of a leaf. */
export function leaf(tree: Tree): string | undefined {
  return "Leaf" in tree ? String(tree.Leaf) : undefined;
}

/** Return the panes in the order of the tree. */
export function panesOf(tree: Tree): string[] {
  const split = parts(tree);
  return split === undefined ? [String(leaf(tree))] : [...panesOf(split.a), ...panesOf(split.b)];
}

/** Return how many panes stand above one another at most: each has a title of its own. */
export function stacked(tree: Tree): number {
  const split = parts(tree);
  if (split === undefined) return 1;
  const [a, b] = [stacked(split.a), stacked(split.b)];
  return split.axis === COLUMNS ? Math.max(a, b) : a + b;
}

/** Return the tree in which a pane has left its place for one beside another. */
export function beside(tree: Tree, pane: string, target: string, side: Side): Tree {
  if (pane === target || !panesOf(tree).includes(target)) return tree;
  const rest = without(tree, pane);
  return rest === undefined ? tree : inserted(rest, pane, target, side);
}

/** Return what a point of a pane means to one that is dropped there: a side, or its place. */
export function dropSide(x: number, y: number): Side | "place" {
  const nearest = Math.min(x, 1 - x, y, 1 - y);
  if (nearest > EDGE) return "place";
  if (nearest === x) return "left";
  if (nearest === 1 - x) return "right";
  return nearest === y ? "up" : "down";
}

function without(tree: Tree, pane: string): Tree | undefined {
  const split = parts(tree);
  if (split === undefined) return leaf(tree) === pane ? undefined : tree;
  const [a, b] = [without(split.a, pane), without(split.b, pane)];
  if (a === undefined || b === undefined) return a ?? b;
  return { Split: { ...split, a, b } };
}

function inserted(tree: Tree, pane: string, target: string, side: Side): Tree {
  const split = parts(tree);
  if (split !== undefined) {
    const [a, b] = [
      inserted(split.a, pane, target, side),
      inserted(split.b, pane, target, side),
    ] as const;
    return { Split: { ...split, a, b } };
  }
  if (leaf(tree) !== target) return tree;
  const moved: Tree = { Leaf: Number(pane) };
  const axis = side === "left" || side === "right" ? COLUMNS : ROWS;
  const first = side === "left" || side === "up";
  const [a, b] = first ? [moved, tree] : [tree, moved];
  return { Split: { axis, ratio: 0.5, a, b } };
}
