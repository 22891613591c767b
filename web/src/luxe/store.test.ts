/** What sessions ask, read over a transport that answers from memory. */

import {
  type FrameEvents,
  Luxe,
  LuvusError,
  type LuxeRow,
  type LuxeTransport,
} from "@luvus/client";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { LuxeStore } from "./store.js";

class Far implements LuxeTransport {
  asked: string[] = [];
  answer: object | Error = { permissions: [], questions: [] };
  list: FrameEvents | undefined;

  ask(_verb: string, path: string): Promise<unknown> {
    this.asked.push(path);
    return this.answer instanceof Error
      ? Promise.reject(this.answer)
      : Promise.resolve(this.answer);
  }

  frames(_path: string, events: FrameEvents) {
    this.list = events;
    return { close: () => undefined };
  }

  address(path: string): string {
    return path;
  }
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const row = (prompts: string[]) => ({ session_id: "s", prompts }) as unknown as LuxeRow;

test("what a session asks is read once for each set of prompts, however often it is drawn", async () => {
  const far = new Far();
  const store = new LuxeStore(new Luxe(far));

  for (const prompts of [["a"], ["a"], ["a", "b"], ["a", "b"]]) {
    store.asking(row(prompts));
    await vi.advanceTimersByTimeAsync(0);
  }

  expect(far.asked).toEqual(["sessions/s", "sessions/s"]);
  expect(store.asking(row(["a", "b"]))?.shown).toBe(far.answer);
});

test("why it cannot be read is said, and it is not asked for with every drawing", async () => {
  const far = new Far();
  far.answer = new LuvusError({ code: "internal", message: "the disk is full" });
  const store = new LuxeStore(new Luxe(far));

  for (let time = 0; time < 5; time += 1) {
    store.asking(row(["a"]));
    await vi.advanceTimersByTimeAsync(0);
  }

  expect(far.asked).toHaveLength(1);
  expect(store.asking(row(["a"]))).toEqual({
    key: "a",
    shown: undefined,
    problem: "the disk is full",
  });
});

test("what is known of a session goes with it", async () => {
  const far = new Far();
  const store = new LuxeStore(new Luxe(far));
  store.asking(row(["a"]));
  await vi.advanceTimersByTimeAsync(0);

  far.list?.frame({ kind: "sessions", content: { sessions: [] } });

  expect(store.asking(row(["a"]))).toBeUndefined();
});
