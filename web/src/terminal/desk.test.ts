/** Cells of terminals that are drawn in different ways. */

import { expect, test } from "vitest";

import { largest } from "./desk.js";

test.each([
  [[], undefined],
  [[{ width: 7, height: 17 }], { width: 7, height: 17 }],
  [
    [
      { width: 7, height: 17 },
      { width: 7.8, height: 16.5 },
    ],
    { width: 7.8, height: 17 },
  ],
])("of %j the largest cell is %j", (cells, expected) => {
  expect(largest(cells)).toEqual(expected);
  expect(largest([...cells].reverse())).toEqual(expected);
});
