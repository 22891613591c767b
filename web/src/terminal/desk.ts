/** How many cells fit into a part of the page. */

import type { Size } from "./lease.js";

export interface Cell {
  width: number;
  height: number;
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
