/** The split tree of a tab, as the page draws it. Pure. */

import type { Layout } from "@luvus/client";

export type Tree = Layout["tree"];
export type Path = readonly ("a" | "b")[];
export type Parts = Extract<Tree, { Split: unknown }>["Split"];

export const COLUMNS = 0;

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
