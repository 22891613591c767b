/** The session kept true by events, over a transport that answers from memory. */

import {
  type Channel,
  type ChannelEvents,
  Client,
  ConnectionLost,
  LuvusError,
  type Transport,
} from "@luvus/client";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { Session } from "./session.js";

const pane = (id: string, more: object = {}) => ({
  pane_id: id,
  kind: "terminal",
  focused: id === "1",
  cwd: "/api",
  terminal_id: "t".repeat(32),
  agent: "claude",
  agent_status: "idle",
  agent_name: null,
  agent_status_since_ms: 5_000,
  agent_title: null,
  ...more,
});

const workspaces = (...panes: object[]) => [
  {
    index: 1,
    workspace_id: "w1",
    name: "api",
    branch: "main",
    tabs: [{ index: 1, tab_id: "t1", panes }],
  },
];

const snapshot = (event_sequence: number, ...panes: object[]) => ({
  server_generation: "g",
  event_sequence,
  workspaces: workspaces(...panes),
});

class Memory implements Transport {
  asked: string[] = [];
  answers: Record<string, object> = {
    "uhp.capabilities": { server_generation: "g" },
    "session.snapshot": snapshot(0, pane("1")),
    "mission.snapshot": { rows: [], ended: [], summary: { budget_usd: null } },
    "mission.refresh": {},
  };
  /** Methods that are answered only when a test says so. */
  held: Record<string, (answer: object | Error) => void> = {};
  stream: ChannelEvents | undefined;
  private sequence = 0;

  call(method: string): Promise<unknown> {
    this.asked.push(method);
    if (method in this.held)
      return new Promise((resolve, reject) => {
        this.held[method] = (given) => (given instanceof Error ? reject(given) : resolve(given));
      });
    const answer = this.answers[method];
    return answer === undefined ? Promise.reject(new Error(method)) : Promise.resolve(answer);
  }

  open(_method: string, _params: object, events: ChannelEvents): Channel {
    this.stream = events;
    queueMicrotask(() => events.acknowledged({ sequence: 0 }));
    return { send: () => undefined, close: () => undefined };
  }

  tell(event: string, data: object): void {
    this.sequence += 1;
    this.stream?.frame({ event, sequence: this.sequence, data });
  }

  /** How often a method was asked for since this was asked last. */
  count(method: string): number {
    const found = this.asked.filter((one) => one === method).length;
    this.asked = this.asked.filter((one) => one !== method);
    return found;
  }
}

beforeEach(() => {
  const kept = new Map<string, string>();
  vi.stubGlobal("localStorage", {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  });
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

async function started() {
  const server = new Memory();
  const session = new Session(new Client(server));
  await vi.advanceTimersByTimeAsync(500);
  for (const method of Object.keys(server.answers)) server.count(method);
  return { server, session };
}

const status = (state: string, agent = "claude") => ({
  pane: "1",
  status: state,
  agent,
  cwd: "/api",
  project: "api",
  branch: "fix",
});

test("a state is shown at once, and the rest is read again a second later, once", async () => {
  const { server, session } = await started();

  for (const state of ["working", "blocked", "working"]) {
    server.tell("pane.agent_status_changed", status(state));
  }

  expect(session.rows[0]).toMatchObject({ state: "working", branch: "fix", since: Date.now() });
  expect(server.count("session.snapshot")).toBe(0);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(server.count("session.snapshot")).toBe(1);
  expect(session.rows[0]).toMatchObject({ state: "idle", branch: "main", since: 5_000 });
});

test("another agent in a pane is a reason to read everything at once", async () => {
  const { server } = await started();

  server.tell("pane.agent_status_changed", status("idle", "codex"));
  await vi.advanceTimersByTimeAsync(0);

  expect(server.count("session.snapshot")).toBe(1);
});

test("output, bells and titles ask the server nothing", async () => {
  const { server, session } = await started();
  const changed: string[] = [];
  session.onOutput((id) => changed.push(id));

  server.tell("terminal.output_ready", { pane_id: "1" });
  server.tell("pane.bell", { pane: "1", count: 2 });
  server.tell("pane.title_changed", { pane: "1", title: "Fix the login" });
  await vi.advanceTimersByTimeAsync(10_000);

  expect(server.asked).toEqual([]);
  expect(changed).toEqual(["1"]);
  expect(session.rows[0]?.title).toBe("Fix the login");
  expect(session.rings.entries).toMatchObject([{ kind: "bell", who: "claude", count: 2 }]);
});

test("figures are read once for many announcements, and a new failure rings", async () => {
  const { server, session } = await started();
  const ended = { pane: "7", agent: "codex", name: "night", exit_code: 3, signal: null };
  const where = { workspace_id: "w1", workspace_name: "api", usage: null, at_ms: 1, text: "" };
  server.answers["mission.snapshot"] = {
    rows: [{ pane: "1", usage: { total_tokens: 9, cost_usd: 1 }, history: [] }],
    ended: [{ ...ended, ...where }],
    summary: { budget_usd: 5 },
  };

  for (let time = 0; time < 5; time += 1) server.tell("mission.changed", {});
  await vi.advanceTimersByTimeAsync(10);

  expect(server.count("mission.snapshot")).toBeLessThanOrEqual(2);
  expect(session.rows.map((row) => [row.name, row.state, row.cost])).toEqual([
    ["claude", "idle", 1],
    ["night", "failed", undefined],
  ]);
  expect(session.figures.budget).toBe(5);
  expect(session.rings.entries).toMatchObject([
    { kind: "failed", who: "night", text: "exit code 3" },
  ]);
  session.dismiss("ended:7");
  expect(session.rows).toHaveLength(1);
});

test("rows of another source stand beside the panes and replace those before", async () => {
  const { session } = await started();
  const [first] = session.rows;
  if (first === undefined) throw new Error("no row");

  session.contribute("luxe", [{ ...first, key: "luxe:1" }]);
  session.contribute("luxe", [{ ...first, key: "luxe:2" }]);

  expect(session.rows.map((row) => row.key)).toEqual(["pane:1", "luxe:2"]);
});

test("an agent that begins to wait rings once", async () => {
  const { server, session } = await started();

  server.tell("pane.agent_status_changed", status("blocked"));
  server.tell("pane.agent_status_changed", status("blocked"));

  expect(session.rings.unread).toBe(1);
});

/** Begin to read a snapshot, which the returned function answers. */
async function reading(server: Memory, session: Session) {
  server.held["session.snapshot"] = () => undefined;
  session.refresh();
  await vi.advanceTimersByTimeAsync(0);
  return async (answer: object | Error) => {
    const give = server.held["session.snapshot"];
    delete server.held["session.snapshot"];
    give?.(answer);
    await vi.advanceTimersByTimeAsync(0);
  };
}

test("a snapshot that is older than what events said does not take it back", async () => {
  const { server, session } = await started();
  const answer = await reading(server, session);

  server.tell("pane.agent_status_changed", status("blocked"));
  server.tell("pane.title_changed", { pane: "1", title: "Fix the login" });
  await answer(snapshot(0, pane("1")));

  expect(session.rows[0]).toMatchObject({ state: "blocked", title: "Fix the login" });
  expect(session.rings.unread).toBe(1);
});

test("an event that is older than the snapshot changes nothing and asks for nothing", async () => {
  const { server, session } = await started();
  const answer = await reading(server, session);
  await answer(snapshot(3, pane("1", { agent_status: "done", agent_title: "Done with it" })));

  server.tell("pane.agent_status_changed", status("working"));
  server.tell("pane.title_changed", { pane: "1", title: "Fix the login" });
  server.tell("pane.created", { pane: "1" });
  await vi.advanceTimersByTimeAsync(500);

  expect(session.rows[0]).toMatchObject({ state: "done", title: "Done with it" });
  expect(server.count("session.snapshot")).toBe(1);
});

test("who begins to wait rings once, whether the snapshot or the event arrives first", async () => {
  const { server, session } = await started();
  const answer = await reading(server, session);

  await answer(snapshot(1, pane("1", { agent_status: "blocked" })));
  server.tell("pane.agent_status_changed", status("blocked"));

  expect(session.rings.entries).toMatchObject([{ kind: "blocked", who: "claude" }]);
});

test("who waited before the page was opened does not ring, and who began to in a gap does", async () => {
  const { server, session } = await started();
  const again = await reading(server, session);
  await again(snapshot(0, pane("1", { agent_status: "blocked" })));
  expect(session.rings.unread).toBe(1);
  server.answers["session.snapshot"] = snapshot(0, pane("1", { agent_status: "blocked" }));

  const other = new Session(new Client(server));
  await vi.advanceTimersByTimeAsync(500);

  expect(other.rows[0]?.state).toBe("blocked");
  expect(other.rings.unread).toBe(0);
});

test("a snapshot that fails leaves what was shown and says why", async () => {
  const { server, session } = await started();
  const answer = await reading(server, session);

  await answer(new LuvusError({ code: "limit_exceeded", message: "too many requests" }));

  expect(session.problem?.message).toBe("too many requests");
  expect(session.snapshot).toBeDefined();
  session.hurry();
  await vi.advanceTimersByTimeAsync(0);
  expect(session.problem).toBeUndefined();
});

test("a snapshot that nobody answers is asked for again while events arrive", async () => {
  const { server, session } = await started();
  const answer = await reading(server, session);
  server.count("session.snapshot");

  await answer(new ConnectionLost("the server does not answer"));
  expect(server.count("session.snapshot")).toBe(0);
  await vi.advanceTimersByTimeAsync(1_500);

  expect(server.count("session.snapshot")).toBe(1);
  expect(session.problem).toBeUndefined();
});

test("many changes are drawn once, and changes in a row are read together", async () => {
  const { server, session } = await started();
  let drawn = 0;
  session.subscribe(() => (drawn += 1));

  for (let time = 0; time < 100; time += 1) server.tell("pane.bell", { pane: "1", count: 1 });
  await vi.advanceTimersByTimeAsync(500);
  expect(drawn).toBe(1);
  for (let time = 0; time < 100; time += 1) {
    server.tell("pane.created", { pane: "1" });
    await vi.advanceTimersByTimeAsync(1);
  }
  await vi.advanceTimersByTimeAsync(500);

  expect(server.count("session.snapshot")).toBeLessThanOrEqual(4);
});

test("a gap is heard by those who may have missed what they listen for", async () => {
  const { server, session } = await started();
  let heard = 0;
  session.onEvent("events.resync_required", () => (heard += 1));

  server.stream?.frame({ event: "pane.bell", sequence: 9, data: { pane: "1", count: 1 } });

  expect(heard).toBe(1);
});

test("what a plain program calls itself asks the server nothing", async () => {
  const { server, session } = await started();
  const answer = await reading(server, session);
  await answer(snapshot(0, pane("1", { agent: "" })));
  await vi.advanceTimersByTimeAsync(500);
  server.count("session.snapshot");

  server.tell("pane.title_changed", { pane: "1", title: "vim" });
  await vi.advanceTimersByTimeAsync(5_000);

  expect(server.count("session.snapshot")).toBe(0);
});
