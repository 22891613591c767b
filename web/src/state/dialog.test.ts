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

test("a menu that is walked by arrows is offered by number, and how far each entry is", () => {
  const pi =
    " Run this command?\n\n   touch made.txt\n\n   Yes\n → No\n\n ↑↓ navigate  enter select";
  const claude = [
    "  Make it the default?",
    "",
    "  ❯ Yes, set auto mode",
    "    No, keep manual",
  ].join("\n");
  const framed = "│ Sure?   │\n│ ❯ Go on │\n│   Stop  │";

  expect(choices(pi)).toEqual([
    { key: "1", label: "Yes", move: -1 },
    { key: "2", label: "No", move: 0 },
    esc,
  ]);
  expect(choices(claude)).toEqual([
    { key: "1", label: "Yes, set auto mode", move: 0 },
    { key: "2", label: "No, keep manual", move: 1 },
    esc,
  ]);
  expect(choices(framed)).toEqual([
    { key: "1", label: "Go on", move: 0 },
    { key: "2", label: "Stop", move: 1 },
    esc,
  ]);
});

test("a mark with nothing beside it is a prompt, no menu", () => {
  for (const screen of ["❯ make it so", "text\n› Ask anything\n\n  gpt · ~/project"]) {
    expect(choices(screen)).toBe(USUAL);
  }
});

test("entries side by side are walked by arrows, because only colour marks one of them", () => {
  expect(choices("Allow once   Reject     ⇆ select  enter confirm")).toEqual([
    { key: "left", label: "←" },
    { key: "right", label: "→" },
    { key: "enter", label: "" },
    esc,
  ]);
});
