/** The wish for a size, over a transport whose streams a test opens and ends. */

import {
  type ChannelEvents,
  Client,
  ConnectionLost,
  LuvusError,
  type Transport,
} from "@luvus/client";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { Lease } from "./lease.js";

interface Opened {
  params: object;
  sent: unknown[];
  events: ChannelEvents;
}

class Streams implements Transport {
  opened: Opened[] = [];

  call(method: string): Promise<unknown> {
    return Promise.reject(new Error(method));
  }

  open(_method: string, params: object, events: ChannelEvents) {
    const sent: unknown[] = [];
    this.opened.push({ params, sent, events });
    return { send: (line: unknown) => sent.push(line), close: () => undefined };
  }

  get last(): Opened {
    const last = this.opened.at(-1);
    if (last === undefined) throw new Error("nothing was opened");
    return last;
  }
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function made() {
  const streams = new Streams();
  return { streams, lease: new Lease(new Client(streams), () => undefined) };
}

test("a size that is wished for before the stream is open is asked for once it is", () => {
  const { streams, lease } = made();
  lease.want({ cols: 80, rows: 24 });
  lease.want({ cols: 100, rows: 30 });
  streams.last.sent.length = 0;

  streams.last.events.acknowledged({});

  expect(streams.last.sent).toEqual([{ action: "size", cols: 100, rows: 30 }]);
});

test("a lost stream is opened again once, with the newest wish, however often the window changes", () => {
  const { streams, lease } = made();
  lease.want({ cols: 80, rows: 24 });
  streams.last.events.ended(new ConnectionLost("gone"));

  lease.want({ cols: 90, rows: 24 });
  lease.want({ cols: 91, rows: 24 });
  expect(streams.opened).toHaveLength(1);
  vi.advanceTimersByTime(60_000);

  expect(streams.opened.map(({ params }) => params)).toEqual([
    { cols: 80, rows: 24 },
    { cols: 91, rows: 24 },
  ]);
});

test("a stream that is lost again and again is tried ever more rarely", () => {
  const { streams, lease } = made();
  lease.want({ cols: 80, rows: 24 });
  const began = Date.now();

  for (let time = 0; time < 12; time += 1) {
    const before = streams.opened.length;
    streams.last.events.ended(new ConnectionLost("gone"));
    while (streams.opened.length === before) vi.advanceTimersByTime(100);
  }

  expect(Date.now() - began).toBeGreaterThan(30_000);
});

test("nothing is opened again after a login has ended, or after it was closed", () => {
  const ended = made();
  ended.lease.want({ cols: 80, rows: 24 });
  ended.streams.last.events.ended(new LuvusError({ code: "logged_out", message: "logged out" }));
  ended.lease.want({ cols: 90, rows: 24 });
  const closed = made();
  closed.lease.want({ cols: 80, rows: 24 });
  closed.streams.last.events.ended(new ConnectionLost("gone"));
  closed.lease.close();

  vi.advanceTimersByTime(60_000);

  expect(ended.streams.opened).toHaveLength(1);
  expect(closed.streams.opened).toHaveLength(1);
});
