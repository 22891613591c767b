/** How many cells fit into a part of the page. */

import type { Size } from "./lease.js";

export interface Cell {
  width: number;
  height: number;
}

/**
 * Return the cell that is enough for every terminal; undefined when there is none. Terminals drawn
 * by WebGL have narrower cells than those drawn by the DOM: measured by one and then by the other,
 * the size of the tab would never come to rest.
 */
export function largest(cells: Iterable<Cell>): Cell | undefined {
  let found: Cell | undefined;
  for (const { width, height } of cells) {
    found = {
      width: Math.max(width, found?.width ?? 0),
      height: Math.max(height, found?.height ?? 0),
    };
  }
  return found;
}

export const Desk = {
  /** Return the size of a tab that fills an element whose titles take `titles` pixels. */
  size(element: HTMLElement, cell: Cell, titles: number): Size {
    return {
      cols: Math.floor((element.clientWidth - 1) / cell.width),
      rows: Math.floor((element.clientHeight - titles - 1) / cell.height),
    };
  },
};
