/** Who comes first: blocked agents, then failed and working ones by age, then the rest. */

import type { Row } from "./rows.js";
import type { AgentState } from "./session.js";

const RANK: Record<AgentState, number> = {
  blocked: 0,
  failed: 1,
  working: 2,
  done: 3,
  idle: 4,
  unknown: 5,
};
const NEEDS: ReadonlySet<AgentState> = new Set(["blocked", "failed"]);

type Ranked = Pick<Row, "state" | "since" | "agent" | "key">;

export function byUrgency<T extends Ranked>(rows: readonly T[]): T[] {
  return [...rows].sort(
    (a, b) => RANK[a.state] - RANK[b.state] || Number(b.agent) - Number(a.agent) || byAge(a, b),
  );
}

/** Those who wait for a person, the longest wait first. */
export function waiting<T extends Ranked>(rows: readonly T[]): T[] {
  return rows.filter((row) => NEEDS.has(row.state)).sort(byAge);
}

/** The state that matters most among some. */
export function foremost(rows: readonly Ranked[]): AgentState | undefined {
  return byUrgency(rows)[0]?.state;
}

function byAge(a: Ranked, b: Ranked): number {
  return (a.since ?? Infinity) - (b.since ?? Infinity) || natural(a.key, b.key) || 0;
}

function natural(a: string, b: string): number {
  return a.localeCompare(b, undefined, { numeric: true });
}
