/** Every agent in one table, the ones that need somebody first. */

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

import { count, money, shortPath, UNKNOWN } from "../state/format.js";
import { usePage, useSession } from "../state/hooks.js";
import { press } from "../state/acts.js";
import { byUrgency } from "../state/order.js";
import type { AgentState, PaneInfo } from "../state/session.js";
import { PromptLine } from "./attention.js";
import { OutputChart } from "./chart.js";
import { Peek } from "./peek.js";
import { Age, State } from "./state.js";

const COUNTED: readonly AgentState[] = ["blocked", "working", "done", "idle"];
const PEEK_LINES = 12;
/** Keys that answer the dialog of a row whose screen is open. */
const ANSWER = /^(?:[1-9yn]|Escape)$/;

type Open = { pane: string; what: "peek" | "prompt" };

export function Overview() {
  const session = useSession();
  const { about, go, say, session: calls } = usePage();
  const shown = useRef<number>(undefined);
  const [selected, setSelected] = useState<string>();
  const [open, setOpen] = useState<Open>();
  const body = useRef<HTMLTableSectionElement>(null);
  const panes = byUrgency(session.panes);
  const at = Math.max(
    0,
    panes.findIndex((pane) => pane.id === selected),
  );

  const answers = (pane: PaneInfo) =>
    open?.pane === pane.id && pane.state === "blocked" && !about.read_only;
  // What was read is what is answered: refused when another dialog has come meanwhile.
  const answer = (pane: PaneInfo, key: string) =>
    void press(calls, pane, key.toLowerCase(), shown.current).catch((e: Error) => say(e.message));

  // Before the next key can arrive: a quick `j enter` opens the row that is marked then.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
      const pane = panes[at];
      if (pane === undefined) return;
      const toggle = (what: Open["what"]) =>
        setOpen(open?.pane === pane.id && open.what === what ? undefined : { pane: pane.id, what });
      if (event.key === "j") setSelected(panes[Math.min(at + 1, panes.length - 1)]?.id);
      else if (event.key === "k") setSelected(panes[Math.max(at - 1, 0)]?.id);
      else if (ANSWER.test(event.key) && answers(pane)) answer(pane, event.key);
      else if (event.key === "Enter") go({ place: "terminals", pane: pane.id });
      else if (event.key === " ") toggle("peek");
      else if (event.key === "p" && !about.read_only) toggle("prompt");
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  });

  useEffect(() => {
    body.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  }, [at]);

  if (session.snapshot !== undefined && panes.length === 0) {
    return (
      <p class="empty">
        No pane is open. Run <code>luvus tab new</code> to open one.
      </p>
    );
  }
  return (
    <>
      <Summary panes={panes} />
      <table class="agents" aria-label="Agents">
        <thead>
          <tr>
            <th>agent</th>
            <th>workspace</th>
            <th>state</th>
            <th class="number">tokens</th>
            <th class="number">cost</th>
            <th>folder</th>
          </tr>
        </thead>
        <tbody ref={body}>
          {panes.map((pane, index) => (
            <Row
              key={pane.id}
              onOpen={() => go({ place: "terminals", pane: pane.id })}
              open={open?.pane === pane.id ? open.what : undefined}
              onClose={() => setOpen(undefined)}
              onShown={(revision) => {
                shown.current = revision;
              }}
              pane={pane}
              selected={index === at}
            />
          ))}
        </tbody>
      </table>
      <OutputChart />
    </>
  );
}

function Summary({ panes }: { panes: readonly PaneInfo[] }) {
  const { summary, usage } = useSession();
  const agents = panes.filter((pane) => pane.agent !== undefined);
  return (
    <div class="summary">
      {COUNTED.map((state) => (
        <span key={state}>
          <strong>{agents.filter((pane) => pane.state === state).length}</strong>{" "}
          <State named state={state} />
        </span>
      ))}
      <span>
        <strong>{panes.length}</strong> <span class="quiet">panes</span>
      </span>
      {summary !== undefined && usage.size > 0 && (
        <span>
          <strong>{money(summary.cost_usd)}</strong>{" "}
          <span class="quiet">
            · {money(summary.burn_usd_per_hour ?? undefined)}/h · {count(summary.tokens)} tokens
          </span>
        </span>
      )}
    </div>
  );
}

interface RowProps {
  pane: PaneInfo;
  selected: boolean;
  open: Open["what"] | undefined;
  onOpen(): void;
  onClose(): void;
  onShown(revision: number): void;
}

function Row({ pane, selected, open, onOpen, onClose, onShown }: RowProps) {
  const usage = useSession().usage.get(pane.id);
  return (
    <>
      <tr aria-selected={selected} onClick={onOpen}>
        <td>
          <strong>{pane.name ?? pane.agent ?? "shell"}</strong> <span class="quiet">{pane.id}</span>
        </td>
        <td>
          {pane.workspaceName} <span class="quiet">{pane.branch && `⎇ ${pane.branch}`}</span>
        </td>
        <td>
          {pane.agent === undefined && pane.state === "unknown" ? (
            <span class="quiet">{UNKNOWN}</span>
          ) : (
            <>
              <State named state={pane.state} />{" "}
              <span class="quiet">
                <Age pane={pane} />
              </span>
            </>
          )}
        </td>
        <td class="number">{count(usage?.total_tokens)}</td>
        <td class="number">{money(usage?.cost_usd ?? undefined)}</td>
        <td class="quiet" title={pane.cwd}>
          {shortPath(pane.cwd)}
        </td>
      </tr>
      {open !== undefined && (
        <tr class="peek">
          <td colSpan={6}>
            <Peek lines={PEEK_LINES} onShown={onShown} pane={pane.id} />
            {open === "prompt" && <PromptLine onDone={onClose} pane={pane} />}
          </td>
        </tr>
      )}
    </>
  );
}

/** Whether a key belongs to a field or a button. */
export function isTyping(event: KeyboardEvent): boolean {
  const target = event.target as HTMLElement | null;
  if (target === null) return false;
  if (target.closest("input, textarea, select, dialog, [contenteditable]")) return true;
  return target.closest("button, a") !== null && (event.key === "Enter" || event.key === " ");
}
