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
