import { expect, test } from "vitest";

import { score } from "./match.js";

test("a text that holds what was typed comes before one that holds its letters", () => {
  const scattered = "workspace.close Close a workspace here, on the road";

  expect(score("heron", "greet the heron luxe · done")).toBeGreaterThan(score("heron", scattered));
});

test("a text without one of the letters does not fit", () => {
  expect(score("xyz", "greet the heron")).toBe(0);
});
