/** Keys and what they send, as tables. */

import { describe, expect, test } from "vitest";

import { controlled, sequence } from "./keys.js";

describe("a key of the bar", () => {
  test.each([
    ["esc", false, false, "\x1b"],
    ["tab", true, false, "\t"],
    ["up", false, false, "\x1b[A"],
    ["up", true, false, "\x1bOA"],
    ["left", true, true, "\x1b[1;5D"],
    ["right", false, true, "\x1b[1;5C"],
  ] as const)("%s (application %s, control %s) sends %j", (key, application, control, sent) => {
    expect(sequence(key, application, control)).toBe(sent);
  });
});

describe("the control key", () => {
  test.each([
    ["c", "\x03"],
    ["C", "\x03"],
    ["[", "\x1b"],
    [" ", "\x00"],
    ["?", "\x7f"],
    ["1", "1"],
    ["é", "é"],
    ["ß", "ß"],
    ["cd", "\x03d"],
    ["", ""],
  ])("makes %j into %j", (text, sent) => {
    expect(controlled(text)).toBe(sent);
  });
});
