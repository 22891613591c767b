/** Dialogs as agents draw them, and the keys that they ask for. */

import { expect, test } from "vitest";

import { choices, USUAL } from "./dialog.js";

const esc = { key: "escape", label: "" };

test("numbered options in a frame are offered in their own words", () => {
  const screen = [
    "╭──────────────────────────╮",
    "│ Do you want to proceed?  │",
    "│ ❯ 1. Yes                 │",
    "│   2. Yes, and don't ask  │",
    "│   3. No                  │",
    "╰──────────────────────────╯",
  ].join("\n");

  expect(choices(screen)).toEqual([
    { key: "1", label: "Yes" },
    { key: "2", label: "Yes, and don't ask" },
    { key: "3", label: "No" },
    esc,
  ]);
});

test("only the last of two dialogs counts", () => {
  expect(choices("1. old\n2. older\n3. oldest\nagain?\n1) new\n2) newer")).toEqual([
    { key: "1", label: "new" },
    { key: "2", label: "newer" },
    esc,
  ]);
});

test("yes or no is asked with y and n", () => {
  for (const screen of ["Apply edit? [Y/n]", "Go on (y/N)", "Sure (yes/no)?"]) {
    expect(choices(screen)).toEqual([{ key: "y", label: "yes" }, { key: "n", label: "no" }, esc]);
  }
});

test("a dialog that waits for enter offers enter", () => {
  expect(choices("Press Enter to continue")).toEqual([{ key: "enter", label: "" }, esc]);
});

test("a list of one and text that is no dialog leave the usual keys", () => {
  for (const screen of ["", "1. one thing", "version 2.1 (yes)", "2. b\n3. c"]) {
    expect(choices(screen)).toBe(USUAL);
  }
});

test("a long option is cut", () => {
  const [first] = choices(`1. ${"x".repeat(90)}\n2. no`);

  expect(first?.label).toBe(`${"x".repeat(39)}…`);
});
