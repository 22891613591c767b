/** Events as sentences, and the bounded list of them. */

import type { SessionEvent } from "@luvus/client";
import { expect, test } from "vitest";

import { describe, type Naming } from "./sentences.js";
import { ENTRIES, Timeline } from "./timeline.js";

const naming: Naming = {
  pane: (id) => ({ "1": "rev", "2": "claude" })[id] ?? `pane ${id}`,
  isAgent: (pane) => pane !== "3",
  workspaceOf: (pane) => (pane === "9" ? undefined : "api"),
  workspaceAt: (index) => ["api", "web"][index],
};
const event = (name: string, data: object, sequence = 1) =>
  ({ event: name, sequence, data }) as unknown as SessionEvent;
const say = (name: string, data: object) => describe(event(name, data), naming)?.text;
const status = (agent: string, state: string) =>
  say("pane.agent_status_changed", { pane: "1", agent, status: state });

test("events are sentences with the names that people gave", () => {
  expect([
    say("pane.created", { pane: "3" }),
    say("pane.closed", { pane: "1" }),
    status("claude", "blocked"),
    status("claude", "working"),
    status("", "idle"),
    say("terminal.exited", { pane_id: "3", detail: { exit_code: 2, signal: null } }),
    say("terminal.exited", { pane_id: "2", detail: { exit_code: null, signal: "SIGKILL" } }),
    say("pane.bell", { pane: "1", count: 1 }),
    say("pane.bell", { pane: "3", count: 7 }),
    say("pane.notified", { pane: "2", title: "Build", body: "green", dropped: 0 }),
    say("pane.notified", { pane: "2", title: "", body: "done", dropped: 3 }),
    say("workspace.created", { workspace: "1" }),
    say("workspace.created", { workspace: "7" }),
    say("agent.hook", { pane: "1", kind: "Stop", message: "" }),
    say("task.created", {}),
    say("pane.zoomed", { pane: "1", enabled: true }),
  ]).toEqual([
    "Pane 3 was opened.",
    "rev was closed.",
    "rev needs you.",
    "rev is working.",
    "rev has no agent any more.",
    "The program of pane 3 ended with code 2.",
    "The program of claude ended by SIGKILL.",
    "rev rang the bell.",
    "Pane 3 rang the bell 7 times.",
    "claude: Build: green",
    "claude: done (and 3 more)",
    "Workspace web was opened.",
    "Workspace was opened.",
    "rev: Stop",
    "Task created.",
    "Pane zoomed: rev.",
  ]);
});

test("what another event says better is said once", () => {
  expect(say("pane.focused", { pane: "1" })).toBeUndefined();
  expect(say("mission.changed", {})).toBeUndefined();
  const shell = { pane: "3", agent: "", status: "working" };
  expect(say("pane.agent_status_changed", shell)).toBeUndefined();
  expect(say("pane.title_changed", { pane: "1", title: "x" })).toBeUndefined();
});

test("an entry leads to its pane as long as that is there, and knows its workspace", () => {
  expect(describe(event("pane.closed", { pane: "1" }), naming)).toMatchObject({
    pane: undefined,
    workspace: "api",
  });
  expect(describe(event("pane.renamed", { pane: "2", name: "x" }), naming)).toMatchObject({
    pane: "2",
    workspace: "api",
  });
});

test("a timeline keeps the newest entries and draws a gap as one, with what is missing", () => {
  const timeline = new Timeline();
  for (let sequence = 1; sequence <= ENTRIES + 5; sequence += 1) {
    timeline.add(event("tab.created", { tab: "1" }, sequence), naming, 1_000);
  }
  timeline.gap("gap", 31_000);

  expect(timeline.entries).toHaveLength(ENTRIES);
  expect(timeline.entries.at(-1)).toMatchObject({
    kind: "gap",
    text: "Some events were missed.",
    from: 1_000,
    at: 31_000,
  });
});

test("what is opened is named once its name is known", () => {
  const timeline = new Timeline();
  const nameless: Naming = { ...naming, workspaceOf: () => undefined };
  timeline.add(event("pane.created", { pane: "1" }, 4), {
    ...nameless,
    pane: (id) => `pane ${id}`,
  });
  expect(timeline.entries[0]).toMatchObject({ text: "Pane 1 was opened.", workspace: undefined });

  timeline.name(naming);

  expect(timeline.entries[0]).toMatchObject({ text: "rev was opened.", workspace: "api" });
});
