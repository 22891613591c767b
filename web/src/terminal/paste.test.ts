/** Pastes and offers, as tables. */

import { describe, expect, test } from "vitest";

import { linesEntered, OFFER_CHARACTERS, offered } from "./paste.js";

describe("a paste", () => {
  test.each([
    ["one line", false, 0],
    ["", false, 0],
    ["one line and its end\n", false, 1],
    ["two\nlines", false, 2],
    ["two\r\nlines\r\n", false, 2],
    ["old\rlines", false, 2],
    ["two\nlines", true, 0],
  ])("%j with brackets %s enters %d lines", (text, bracketed, lines) => {
    expect(linesEntered(text, bracketed)).toBe(lines);
  });
});

describe("what a program offers for the clipboard", () => {
  test.each([
    ["c;aMOpbGxv", "héllo"],
    [";aGk=", "hi"],
    ["c;?", undefined],
    ["c;", undefined],
    ["c;!!!", undefined],
    ["c;/w==", undefined],
    [`c;${btoa("x".repeat(OFFER_CHARACTERS + 1))}`, undefined],
    [`c;${"A".repeat(OFFER_CHARACTERS * 2 + 4)}`, undefined],
  ])("%.20j is read", (data, text) => {
    expect(offered(data)).toBe(text);
  });
});
