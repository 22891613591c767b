/** A feed against a server that is a script: what arrives, what is said, what is asked again. */

import { describe, expect, test } from "vitest";

import { Client } from "../src/client.js";
import { ConnectionLost, LuvusError } from "../src/errors.js";
import { Feed, LONGEST_DELAY_MS } from "../src/feed.js";
import type { Channel, ChannelEvents, Transport } from "../src/transport.js";

class Server implements Transport {
  generation = "a";
  reachable = true;
  opened: { params: object; events: ChannelEvents }[] = [];

  async call(): Promise<unknown> {
    if (!this.reachable) throw new ConnectionLost("down");
    return { server_generation: this.generation };
  }

  open(_method: string, params: object, events: ChannelEvents): Channel {
    this.opened.push({ params, events });
    return { send: () => undefined, close: () => undefined };
  }

  get last(): { params: object; events: ChannelEvents } {
    const found = this.opened.at(-1);
    if (found === undefined) throw new Error("nothing was opened");
    return found;
  }
}

class Hands {
  waiting: { act: () => void; delay: number }[] = [];
  set = (act: () => void, delay: number): object => {
    const entry = { act, delay };
    this.waiting.push(entry);
    return entry;
  };
  clear = (handle: unknown): void => {
    this.waiting = this.waiting.filter((entry) => entry !== handle);
  };
  ring(): number {
    const entry = this.waiting.shift();
    if (entry === undefined) throw new Error("no timer is set");
    entry.act();
    return entry.delay;
  }
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 0));

async function begin() {
  const server = new Server();
  const timer = new Hands();
  const said: string[] = [];
  const feed = new Feed(
    new Client(server),
    {
      onEvent: (event) => said.push(`${event.sequence} ${event.event}`),
      onResync: (reason) => said.push(`resync ${reason}`),
      onState: (state) => said.push(state),
    },
    timer,
  );
  await settled();
  return { server, timer, said, feed };
}

const event = (sequence: number) => ({
  event: "tab.created",
  sequence,
  data: { tab: "1" },
});

describe("a feed", () => {
  test("goes on after a lost connection with the events that it has not seen", async () => {
    const { server, timer, said } = await begin();
    server.last.events.acknowledged({ sequence: 3 });
    server.last.events.frame(event(4));
    server.last.events.ended(new ConnectionLost("cut"));
    timer.ring();
    await settled();

    expect(server.last.params).toEqual({ after_sequence: 4 });
    server.last.events.acknowledged({ sequence: 5 });
    server.last.events.frame(event(5));
    expect(said).toEqual([
      "connecting",
      "live",
      "4 tab.created",
      "lost",
      "connecting",
      "live",
      "5 tab.created",
    ]);
  });

  test("says that another server process answers, whatever its sequence is", async () => {
    const { server, timer, said } = await begin();
    server.last.events.acknowledged({ sequence: 3 });
    server.last.events.ended(new ConnectionLost("killed"));
    server.generation = "b";
    timer.ring();
    await settled();

    expect(server.last.params).toEqual({});
    server.last.events.acknowledged({ sequence: 9 });
    expect(said.slice(-2)).toEqual(["live", "resync server_restarted"]);
  });

  test("says that events are no longer kept, and goes on from now", async () => {
    const { server, said } = await begin();
    server.last.events.acknowledged({ sequence: 3 });
    const problem = { code: "resync_required", message: "gone", sequence: 900 };
    server.last.events.ended(new LuvusError(problem));
    await settled();

    expect(server.last.params).toEqual({});
    server.last.events.acknowledged({ sequence: 900 });
    server.last.events.frame(event(901));
    expect(said.slice(-2)).toEqual([
      "resync resync_required",
      "901 tab.created",
    ]);
  });

  test("never passes over a gap in silence", async () => {
    const { server, said } = await begin();
    server.last.events.acknowledged({ sequence: 3 });
    server.last.events.frame(event(6));

    expect(said.slice(-2)).toEqual(["resync gap", "6 tab.created"]);
  });

  test("takes a snapshot again after it was too slow", async () => {
    const { server, timer, said } = await begin();
    server.last.events.acknowledged({ sequence: 3 });
    server.last.events.frame({
      event: "events.resync_required",
      sequence: 300,
      data: { reason: "subscriber_overflow" },
    });
    server.last.events.ended();
    timer.ring();
    await settled();
    server.last.events.acknowledged({ sequence: 301 });

    expect(server.last.params).toEqual({});
    expect(said.slice(-1)).toEqual(["resync subscriber_overflow"]);
  });

  test("waits longer after each failure, and never too long", async () => {
    const { server, timer } = await begin();
    server.reachable = false;
    server.last.events.ended(new ConnectionLost("cut"));
    const delays: number[] = [];
    for (let n = 0; n < 9; n += 1) {
      delays.push(timer.ring());
      await settled();
    }

    expect(delays.slice(0, 4)).toEqual([100, 200, 400, 800]);
    expect(delays.at(-1)).toBe(LONGEST_DELAY_MS);
  });

  test("ends when the login has ended", async () => {
    const { server, timer, said } = await begin();
    server.last.events.ended(
      new LuvusError({ code: "logged_out", message: "out" }),
    );

    expect(said.at(-1)).toBe("ended");
    expect(timer.waiting).toEqual([]);
  });
});
