import { age, exact } from "../state/format.js";
import { useTicking } from "../state/hooks.js";
import type { AgentState } from "../state/session.js";

const SHAPE: Record<AgentState, string> = {
  blocked: "▲",
  working: "●",
  done: "✓",
  failed: "✕",
  idle: "○",
  unknown: "·",
};

/** A state as shape and colour, with its name for those who see neither. */
export function State({ state, named }: { state: AgentState; named?: boolean }) {
  return (
    <span class={`state-${state}`}>
      <span aria-hidden="true">{SHAPE[state]}</span>
      {named ? ` ${state}` : <span class="unseen">{state}</span>}
    </span>
  );
}

/** How long ago something was, with the exact time on hover. */
export function Age({ since }: { since: number | undefined }) {
  const said = useTicking((now) => age(since, now));
  if (since === undefined) return <>{said}</>;
  return (
    <time dateTime={new Date(since).toISOString()} title={exact(since)}>
      {said}
    </time>
  );
}
