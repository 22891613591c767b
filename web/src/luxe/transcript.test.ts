import type { luxe, LuxeEvent } from "@luvus/client";
import { expect, test } from "vitest";

import { CALLS, OUTPUT } from "./calls.js";
import { MESSAGES, REMARKS, Transcript } from "./transcript.js";

const STATE: luxe.StateChanged = {
  model: null,
  streaming: true,
  mode: "build",
  thinking: "off",
  session_id: "s",
  turn_id: "turn:1",
  activity: "model",
  permission_mode: "ask",
  auto_approve: false,
  read_only: false,
  pending_permissions: [],
  pending_questions: [],
  pending_steering: 0,
};

function message(id: string, role: luxe.Message["role"], parts: unknown[]): LuxeEvent {
  const content = { message: { id, role, parts, origin: "client" } };
  return { kind: "message_committed", content } as unknown as LuxeEvent;
}

function frame(kind: string, content: object): LuxeEvent {
  return { kind, content } as unknown as LuxeEvent;
}

function taken(...events: LuxeEvent[]): Transcript {
  const transcript = new Transcript();
  for (const event of events) transcript.take(event);
  return transcript;
}

const text = (said: string, block = 0) => ({ type: "text", text: said, block });
const token = (delta: string, block = 0) => frame("token_delta", { block, delta, turn_id: "t" });
const called = {
  type: "tool_call",
  call_id: "c1",
  name: "bash",
  input: { command: "ls" },
  block: 1,
};
const started = frame("tool_started", {
  call_id: "c1",
  name: "bash",
  title: "List",
  kind: "execute",
  input: { command: "ls" },
});
const result = {
  type: "tool_result",
  call_id: "c1",
  name: "bash",
  status: "completed",
  output: "a\n",
  images: [],
};
const permission = (id: string) => frame("permission_requested", { id, title: id });

test("deltas of a block join, and the committed message takes their place", () => {
  const transcript = taken(
    frame("thinking_delta", { block: 0, delta: "Hm.", turn_id: "t" }),
    token("One ", 1),
    token("two.", 1),
  );

  expect(transcript.live).toEqual([
    { block: 0, type: "thinking", text: "Hm." },
    { block: 1, type: "text", text: "One two." },
  ]);
  transcript.take(message("m1", "assistant", [text("One two.", 1)]));
  expect(transcript.live).toEqual([]);
  expect(transcript.messages().map(({ id }) => id)).toEqual(["m1"]);
});

test("a call is followed from its message to its end", () => {
  const transcript = taken(message("m1", "assistant", [called]));
  const states = [transcript.call("c1")?.state];
  for (const event of [
    started,
    frame("tool_activity_updated", { call_id: "c1", title: "List files", state: "running" }),
    frame("tool_progress", { call_id: "c1", delta: "a\n", stream: "stdout" }),
    frame("tool_completed", { call_id: "c1", output: "a\n", is_error: false, images: [] }),
    frame("tool_ended", { call_id: "c1", status: "completed", reason: null, duration_ms: 12 }),
    frame("tool_activity_updated", { call_id: "c1", title: "List files", state: "running" }),
    message("m2", "tool", [result]),
  ]) {
    transcript.take(event);
    states.push(transcript.call("c1")?.state);
  }

  expect(states).toEqual([
    "queued",
    "running",
    "running",
    "running",
    ...Array(4).fill("completed"),
  ]);
  expect(transcript.call("c1")).toMatchObject({ title: "List files", output: "a\n", ms: 12 });
});

test("what a running call prints is kept up to a limit", () => {
  const transcript = taken(message("m1", "assistant", [called]), started);

  for (let at = 0; at < 20; at += 1) {
    const delta = "x".repeat(8_192);
    transcript.take(frame("tool_progress", { call_id: "c1", delta, stream: "stdout" }));
  }

  expect(transcript.call("c1")?.output.length).toBe(OUTPUT);
});

test("a stored transcript has its calls with their results", () => {
  const messages = [
    { id: "m1", role: "assistant", parts: [called] },
    { id: "m2", role: "tool", parts: [result] },
  ];

  const transcript = taken(
    frame("session_loaded", { session: {}, messages, todos: [], truncated: false }),
  );

  expect(transcript.call("c1")).toMatchObject({ state: "completed", output: "a\n" });
});

test("a late viewer's ready begins everything anew", () => {
  const transcript = taken(
    frame("ready", { session_id: "s" }),
    message("m1", "user", [text("hi")]),
    permission("p1"),
    token("half"),
    frame("notice", { level: "warning", message: "old" }),
  );

  transcript.take(frame("ready", { session_id: "s" }));

  expect(transcript.entries).toEqual([]);
  expect(transcript.live).toEqual([]);
  expect(transcript.permissions).toEqual([]);
});

test("prompts go when they are resolved, and when the state no longer names them", () => {
  const transcript = taken(permission("p1"), permission("p2"), permission("p1"));
  expect(transcript.permissions.map(({ id }) => id)).toEqual(["p2", "p1"]);

  transcript.take(frame("permission_resolved", { id: "p2" }));
  expect(transcript.permissions.map(({ id }) => id)).toEqual(["p1"]);

  transcript.take({ kind: "state_changed", content: STATE });
  expect(transcript.permissions).toEqual([]);
});

test("a rewound transcript loses what was taken back and what was said after it", () => {
  const transcript = taken(
    message("m1", "user", [text("helo")]),
    message("m2", "assistant", [text("What?")]),
    frame("turn_ended", { reason: "cancelled", undelivered_steering: [] }),
  );

  transcript.take(
    frame("transcript_rewound", { to_message_id: "m1", removed_message_ids: ["m2"] }),
  );

  expect(transcript.entries).toHaveLength(1);
  expect(transcript.lastUser?.id).toBe("m1");
});

test("how a turn ended is said unless it ended well", () => {
  const reasons = ["end_turn", "cancelled", "max_tokens", "refusal", "error"];

  const said = reasons.map((reason) => {
    const ended = frame("turn_ended", { reason, undelivered_steering: ["later"] });
    const transcript = taken(ended);
    expect(transcript.undelivered).toEqual(["later"]);
    return transcript.entries.length;
  });

  // An error was said by its own event.
  expect(said).toEqual([0, 1, 1, 1, 0]);
});

test("remarks are bounded, messages are not", () => {
  const transcript = taken(message("m1", "user", [text("hi")]));

  for (let at = 0; at < REMARKS + 50; at += 1)
    transcript.take(frame("notice", { level: "info", message: String(at) }));

  expect(transcript.entries).toHaveLength(REMARKS + 1);
  expect(transcript.entries[0]?.type).toBe("message");
  expect(transcript.entries[1]).toMatchObject({ text: "50" });
});

test("an event that is not known changes nothing", () => {
  const transcript = taken(message("m1", "user", [text("hi")]));
  const before = JSON.stringify(transcript);

  transcript.take(frame("invented_tomorrow", { surprise: true }));

  expect(JSON.stringify(transcript)).toBe(before);
});

test("a session that goes on for days keeps its newest messages, with their calls", () => {
  const transcript = new Transcript();
  for (let index = 0; index < MESSAGES + REMARKS + 1; index += 1)
    transcript.take(message(`m${index}`, "assistant", [{ ...called, call_id: `c${index}` }]));

  const kept = transcript.messages().map(({ id }) => id);
  expect(kept).toHaveLength(MESSAGES);
  expect(kept.at(-1)).toBe(`m${MESSAGES + REMARKS}`);
  expect(transcript.truncated).toBe(true);
  expect(transcript.call("c0")).toBeUndefined();
  expect(transcript.call(`c${MESSAGES + REMARKS}`)?.name).toBe("bash");
});

test("calls that no message tells of are kept up to a number", () => {
  const transcript = new Transcript();
  for (let index = 0; index <= CALLS; index += 1)
    transcript.take(
      frame("tool_started", { call_id: `c${index}`, name: "bash", title: "", kind: "other" }),
    );

  expect(transcript.call("c0")).toBeUndefined();
  expect(transcript.call("c1")?.state).toBe("running");
  expect(transcript.call(`c${CALLS}`)?.state).toBe("running");
});

test("pictures that the transcript holds are not kept a second time", () => {
  const image = { data: "AAAA", mime: "image/png", name: null };
  const pictures = [{ type: "image", sha256: "ab", mime: "image/png", name: null }];
  const done = { call_id: "c1", output: "", images: [image], duration_ms: 1, is_error: false };

  const transcript = taken(started, frame("tool_completed", done));
  expect(transcript.call("c1")?.images).toEqual([image]);
  transcript.take(message("m", "tool", [{ ...result, images: pictures }]));

  expect(transcript.call("c1")).toMatchObject({ images: [], pictures });
});
