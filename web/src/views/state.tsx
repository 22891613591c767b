import { age } from "../state/format.js";
import { useNow } from "../state/hooks.js";
import type { AgentState, PaneInfo } from "../state/session.js";

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

/** How long a pane has been in its state; with a plus when that began before this page. */
export function Age({ pane }: { pane: PaneInfo }) {
  const now = useNow();
  const at = new Date(pane.since).toLocaleString();
  return (
    <span title={pane.older ? `before ${at}` : at}>
      {age(pane.since, now)}
      {pane.older && "+"}
    </span>
  );
}
