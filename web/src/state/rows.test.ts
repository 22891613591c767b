/** What rows, charts, the bell and the put-away list are made of. */

import type { MissionEnded } from "@luvus/client";
import { expect, test } from "vitest";

import { Dismissed } from "./dismissed.js";
import { RINGS, Rings, type Rung } from "./rings.js";
import { endedRow, spent } from "./rows.js";
import { line, MINUTES, perMinute, together } from "./spending.js";
import { lastOf, unframed } from "../views/peek.js";

const ended: MissionEnded = {
  pane: "7",
  agent: "codex",
  name: null,
  title: null,
  workspace_id: "w1",
  workspace_name: "api",
  cwd: "/api",
  branch: null,
  exit_code: 3,
  signal: null,
  at_ms: 5,
  text: "boom",
  usage: null,
};

test("a pane that failed is a row that says how, and a pane without a name says which", () => {
  expect(endedRow(ended)).toMatchObject({
    key: "ended:7",
    name: "codex",
    detail: "exit code 3",
    state: "failed",
    since: 5,
    text: "boom",
    pane: undefined,
    cost: undefined,
  });
  expect(endedRow({ ...ended, agent: "", exit_code: null, signal: "SIGKILL" })).toMatchObject({
    name: "pane 7",
    detail: "ended by SIGKILL",
  });
});

test("costs add up, and what nobody knows is not known", () => {
  const row = endedRow(ended);

  expect(spent([row])).toEqual({ tokens: undefined, cost: undefined, burn: undefined });
  expect(spent([row, { ...row, cost: 1.5, tokens: 10 }, { ...row, cost: 0.5 }])).toEqual({
    tokens: 10,
    cost: 2,
    burn: undefined,
  });
});

test("minutes show what was used in them, and what is older shows nowhere", () => {
  const minute = 1_000;
  const sample = (at: number, tokens: number) => ({ minute: at, tokens });
  const history = [sample(900, 50), sample(939, 100), sample(990, 130), sample(1_000, 200)];
  const spentNow = perMinute(history, minute);

  expect(spentNow).toHaveLength(MINUTES);
  expect([spentNow[49], spentNow[59]]).toEqual([30, 70]);
  expect(spentNow.reduce((a, b) => a + b, 0)).toBe(100);
  expect(perMinute([sample(999, 9), sample(1_000, 3)], minute).every((n) => n === 0)).toBe(true);
  expect(together([spentNow, spentNow])[59]).toBe(140);
  expect(together([])).toEqual(new Array(MINUTES).fill(0));
});

test("a line stays in its box, also when nothing was used", () => {
  expect(line([0, 2, 1], 10, 4)).toBe("M0 4L5 0L10 2");
  expect(line([0, 0], 10, 4)).toBe("M0 4L10 4");
});

const bell = (pane: string): Rung => ({ kind: "bell", who: "a", where: "w", text: "", pane });

test("bells of one pane in a row are one entry, and those of the pane looked at are none", () => {
  const rings = new Rings();
  rings.looking = "2";
  for (const pane of ["1", "1", "2", "1"]) rings.ring(bell(pane), 5);
  rings.ring({ ...bell("2"), kind: "notice" }, 6);

  expect(rings.entries.map((one) => [one.kind, one.pane, one.count])).toEqual([
    ["bell", "1", 3],
    ["notice", "2", 1],
  ]);
  expect(rings.unread).toBe(2);
});

test("the list of what rang is bounded and counts from when it was read", () => {
  const rings = new Rings();
  for (let at = 0; at < RINGS + 20; at += 1)
    rings.ring({ ...bell(String(at)), kind: "notice" }, at);
  expect([rings.entries.length, rings.unread]).toEqual([RINGS, RINGS]);

  rings.read();
  rings.ring(bell("1"));

  expect(rings.unread).toBe(1);
});

test("what was put away stays away until the server is another one", () => {
  const kept = new Map<string, string>();
  const store = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  };
  const first = new Dismissed(store);
  first.of("g1");
  first.add("ended:7");

  const again = new Dismissed(store);
  again.of("g1");
  expect(again.has("ended:7")).toBe(true);
  again.of("g2");
  expect(again.has("ended:7")).toBe(false);
});

test("what cannot be read of a store is nothing", () => {
  const broken = { getItem: () => "no json", setItem: () => undefined };
  const dismissed = new Dismissed(broken);
  dismissed.of("g");

  expect(dismissed.has("x")).toBe(false);
});

test("frames that would break when they wrap are left out, words are not", () => {
  const screen = ["╭──────╮", "│ Run? │", "│ ❯ 1. Yes │", "╰──────╯", "a | b"].join("\n");

  expect(unframed(screen)).toBe("Run?\n❯ 1. Yes\na | b");
  expect(lastOf("a\nb\nc\n\n\n", 2)).toBe("b\nc");
});
