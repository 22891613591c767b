/** Answers to dialogs: one at a time, menus one key a screen. */

import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { ANSWER_MS, Answering } from "./answering.js";

const menu = (at: number) =>
  ["Which?", ...["one", "two", "three"].map((e, n) => `${n === at ? "❯" : " "} ${e}`)].join("\n");

let pressed: [string, number | undefined][];
let failed: string[];
let refuse: string | undefined;
let answering: Answering;

beforeEach(() => {
  vi.useFakeTimers();
  [pressed, failed, refuse] = [[], [], undefined];
  answering = new Answering({
    press: (key, revision) => {
      pressed.push([key, revision]);
      return refuse === undefined ? Promise.resolve() : Promise.reject(new Error(refuse));
    },
    onChange: () => undefined,
    onFailed: (message) => failed.push(message),
  });
});
afterEach(() => vi.useRealTimers());

function choose(key: string): void {
  const found = answering.offered.find((choice) => choice.key === key);
  if (found === undefined) throw new Error(`no ${key}`);
  answering.answer(found);
}

test("a menu is walked one key a screen, and enter is pressed on the entry that was chosen", () => {
  answering.see(1, menu(0));
  choose("3");
  answering.see(2, menu(1));
  answering.see(3, menu(2));
  answering.see(4, "on it");

  expect([pressed, answering.busy]).toEqual([
    [
      ["down", 1],
      ["down", 2],
      ["enter", 3],
    ],
    false,
  ]);
});

test("a menu that did not move gets no further key, and can be answered again later", () => {
  answering.see(1, menu(0));
  choose("2");
  answering.see(1, menu(0));
  expect([pressed, answering.busy]).toEqual([[["down", 1]], true]);
  vi.advanceTimersByTime(ANSWER_MS);

  expect([pressed, answering.busy]).toEqual([[["down", 1]], false]);
});

test("another dialog in its place is not answered", () => {
  answering.see(1, menu(0));
  choose("2");
  answering.see(2, "Delete everything?\n❯ yes\n  no");

  expect([pressed, answering.busy]).toEqual([[["down", 1]], false]);
});

test("a second answer waits until something came of the first", () => {
  answering.see(1, "1. yes\n2. no");
  choose("1");
  choose("2");
  expect(pressed).toEqual([["1", 1]]);
  answering.see(2, "1. left\n2. right");
  choose("2");

  expect(pressed).toEqual([
    ["1", 1],
    ["2", 2],
  ]);
});

test("a refusal is said, and the answer can be given again", async () => {
  refuse = "the screen has changed";
  answering.see(1, "1. yes\n2. no");
  choose("1");
  await vi.advanceTimersByTimeAsync(0);

  expect([failed, answering.busy]).toEqual([["the screen has changed"], false]);
});
