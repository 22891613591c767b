import { expect, test } from "vitest";

import { ConnectionLost, LuvusError } from "../src/errors.js";
import type { Timer } from "../src/feed.js";
import { type FrameEvents, Luxe, type LuxeTransport } from "../src/luxe.js";

class Far implements LuxeTransport {
  readonly asked: unknown[][] = [];
  readonly opened: { path: string; events: FrameEvents }[] = [];
  closed = 0;

  ask(...asked: unknown[]): Promise<unknown> {
    this.asked.push(asked.slice(0, 3));
    return Promise.resolve({ sessions: [], content: { session_id: "s" } });
  }

  address(path: string): string {
    return `http://far/${path}`;
  }

  frames(path: string, events: FrameEvents) {
    this.opened.push({ path, events });
    return {
      close: () => {
        this.closed += 1;
      },
    };
  }

  get last(): FrameEvents {
    const last = this.opened.at(-1);
    if (last === undefined) throw new Error("nothing was opened");
    return last.events;
  }
}

class Hand implements Timer {
  readonly set_: { act: () => void; delay: number }[] = [];

  set(act: () => void, delay: number): unknown {
    return this.set_.push({ act, delay });
  }

  clear(): void {
    this.set_.pop();
  }

  fire(): void {
    this.set_.pop()?.act();
  }
}

test("actions are asked at their own paths with their content", async () => {
  const far = new Far();
  const luxe = new Luxe(far);

  await luxe.act("s1", "cancel");
  await luxe.act("s1", "set_mode", "plan");
  await luxe.open({ cwd: "/work" });
  await luxe.stored("/a b&c");
  await luxe.close("s1");

  expect(far.asked).toEqual([
    ["POST", "sessions/s1/cancel", undefined],
    ["POST", "sessions/s1/set_mode", "plan"],
    ["POST", "sessions", { cwd: "/work" }],
    ["GET", "stored?cwd=%2Fa%20b%26c", undefined],
    ["DELETE", "sessions/s1"],
  ]);
});

test("a lost session is opened again with growing delays until it answers", () => {
  const [far, hand, states] = [new Far(), new Hand(), [] as string[]];
  const seen: unknown[] = [];
  new Luxe(far).followSession(
    "s1",
    (event) => seen.push(event.kind),
    (state) => states.push(state),
    hand,
  );

  far.last.frame({ kind: "ready", content: {} });
  const delays = [1, 2, 3].map(() => {
    far.last.ended(new ConnectionLost("gone"));
    const delay = hand.set_.at(-1)?.delay;
    hand.fire();
    return delay;
  });
  far.last.frame({ kind: "ready", content: {} });

  expect(delays).toEqual([100, 200, 400]);
  expect(seen).toEqual(["ready", "ready"]);
  expect(states.filter((state) => state !== "connecting")).toEqual([
    "live",
    "lost",
    "lost",
    "lost",
    "live",
  ]);
});

test("a session that has closed, or that is not there, is not asked for again", () => {
  for (const end of [undefined, new LuvusError({ code: "not_found", message: "no" })]) {
    const [far, hand, states] = [new Far(), new Hand(), [] as string[]];
    new Luxe(far).followSession(
      "s1",
      () => undefined,
      (state) => states.push(state),
      hand,
    );

    far.last.ended(end);

    expect(states.at(-1)).toBe("ended");
    expect(hand.set_).toEqual([]);
  }
});

test("the list is asked for again also after an ordinary end, for the server may be back", () => {
  const [far, hand] = [new Far(), new Hand()];
  const lists: unknown[] = [];
  const feed = new Luxe(far).followList(
    (rows) => lists.push(rows),
    undefined,
    hand,
  );

  far.last.frame({ kind: "sessions", content: { sessions: [] } });
  far.last.ended();
  feed.hurry();
  far.last.frame({ kind: "sessions", content: { sessions: [] } });
  feed.close();
  far.last.frame({ kind: "sessions", content: { sessions: [] } });

  expect(far.opened.map(({ path }) => path)).toEqual(["sessions", "sessions"]);
  expect(lists).toHaveLength(2);
  expect(far.closed).toBe(1);
});

test("a refused action says why, without its own name", async () => {
  const far = new Far();
  const message = "submit_user_message: no model is set up";
  far.ask = () => Promise.reject(new LuvusError({ code: "not_found", message }));

  await expect(
    new Luxe(far).act("s1", "submit_user_message", { text: "hi", images: [] }),
  ).rejects.toMatchObject({ code: "not_found", message: "no model is set up" });
});

test("a session whose server ends is waited for; one that was closed is not", () => {
  const [far, hand, states] = [new Far(), new Hand(), [] as string[]];
  new Luxe(far).followSession(
    "s1",
    () => undefined,
    (state) => states.push(state),
    hand,
  );

  far.last.frame({ kind: "ready", content: {} });
  far.last.ended(new ConnectionLost("the stream ended (1012)"));
  hand.fire();
  far.last.ended(new LuvusError({ code: "closing", message: "shutting down" }));
  hand.fire();
  far.last.frame({ kind: "ready", content: {} });
  far.last.ended();

  expect(far.opened.length).toBe(3);
  expect(states.filter((state) => state !== "connecting")).toEqual([
    "live",
    "lost",
    "lost",
    "live",
    "ended",
  ]);
});

test("the address of a picture leads nowhere else, whatever its names are", () => {
  const luxe = new Luxe(new Far());

  expect(luxe.pictureOf("s1", "ab12")).toBe("http://far/sessions/s1/pictures/ab12");
  expect(luxe.pictureOf("../..", "a/../b?c")).toBe(
    "http://far/sessions/..%2F../pictures/a%2F..%2Fb%3Fc",
  );
});
