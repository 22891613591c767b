import type { LuxeRow } from "@luvus/client";
import { expect, test } from "vitest";

import { luxeRow, Usage, workspaceOf } from "./rows.js";

const FOLDERS = [
  { workspace_id: "w1", name: "all", cwd: "/work" },
  { workspace_id: "w2", name: "api", cwd: "/work/api" },
];
const ROW: LuxeRow = {
  session_id: "0197-ab",
  cwd: "/work/api/inner",
  branch: "fix",
  title: "Find the bug",
  model: "anthropic/one",
  state: "blocked",
  since_ms: 1_000,
  streaming: true,
  activity: "permission",
  mode: "build",
  permission_mode: "ask",
  read_only: false,
  pending_permissions: 1,
  pending_questions: 0,
  prompts: ["perm:1"],
  error: null,
  viewers: 0,
  tokens: 0,
  cost_usd: null,
  context_percent: null,
  started_at: "2026-01-01T00:00:00.000Z",
};

test.each([
  ["/work/api", "w2"],
  ["/work/api/deep/er", "w2"],
  ["/work/apiary", "w1"],
  ["/elsewhere", undefined],
])("a session in %s belongs to the workspace %s", (cwd, wanted) => {
  expect(workspaceOf(cwd, FOLDERS)?.workspace_id).toBe(wanted);
});

test("a session is a row that opens its own place, with unknown figures as unknown", () => {
  const row = luxeRow(ROW, FOLDERS);

  expect(row).toMatchObject({
    key: "luxe:0197-ab",
    state: "blocked",
    since: 1_000,
    workspaceId: "w2",
    title: "Find the bug",
    tokens: undefined,
    cost: undefined,
    route: { place: "luxe", session: "0197-ab" },
  });
});

test("a session outside of every workspace is named after its folder", () => {
  expect(luxeRow({ ...ROW, cwd: "/elsewhere/tool" }, FOLDERS)).toMatchObject({
    workspaceId: "",
    workspaceName: "tool",
  });
});

test("use is kept by the minute, bounded, and forgotten with its session", () => {
  const usage = new Usage();

  for (let minute = 0; minute < 100; minute += 1)
    usage.take([{ ...ROW, tokens: minute * 10 }], minute);
  usage.take([{ ...ROW, tokens: 1_000 }], 99);

  const kept = usage.of(ROW.session_id) ?? [];
  expect(kept).toHaveLength(61);
  expect(kept.at(-1)).toEqual({ minute: 99, tokens: 1_000 });
  usage.take([], 100);
  expect(usage.of(ROW.session_id)).toBeUndefined();
});
