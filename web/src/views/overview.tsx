/** Every agent in one table, the ones that need somebody first. */

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

import { count, hourly, money } from "../state/format.js";
import { useMinute, usePage, useSession } from "../state/hooks.js";
import type { Answering } from "../state/answering.js";
import { byUrgency } from "../state/order.js";
import { type Row, spent } from "../state/rows.js";
import type { AgentState } from "../state/session.js";
import { TokensChart } from "./chart.js";
import { Command } from "./copy.js";
import { AgentRow, type Open } from "./row.js";
import { isFree } from "./shortcut.js";
import { State } from "./state.js";
import { Uncounted } from "./uncounted.js";

const COUNTED: readonly AgentState[] = ["blocked", "failed", "working", "done", "idle"];
/** Keys that answer the dialog of a row whose screen is open. */
const ANSWER = /^(?:[1-9yn]|Escape)$/;
const NEXT: Record<string, number> = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 };

export function Overview() {
  const session = useSession();
  const { about } = usePage();
  const rows = byUrgency(session.rows);
  if (session.snapshot === undefined && rows.length === 0) return <Unread />;
  if (rows.length === 0) {
    return (
      <p class="empty">
        No pane is open. Open one: <Command text="luvus tab new" />
      </p>
    );
  }
  return (
    <>
      <Summary rows={rows} />
      {!rows.some((row) => row.agent) && (
        <p class="empty">
          No agent is here yet. Start one:{" "}
          <Command text="luvus agent start reviewer --kind claude" />
          {!about.read_only && (
            <>
              {" "}
              or press <kbd>l</kbd> for Luxe
            </>
          )}
        </p>
      )}
      <Table rows={rows} />
      <Uncounted rows={rows} />
      <TokensChart />
    </>
  );
}

/** Before anything was read, or when it cannot be. */
function Unread() {
  const session = useSession();
  const { problem } = session;
  if (problem === undefined) {
    return (
      <p class="empty" role="status">
        Reading the session…
      </p>
    );
  }
  return (
    <p class="empty state-failed" role="alert">
      The session cannot be read: {problem.message}{" "}
      <button onClick={() => session.hurry()} type="button">
        read again
      </button>
    </p>
  );
}

function Table({ rows }: { rows: readonly Row[] }) {
  const session = useSession();
  const { go } = usePage();
  const minute = useMinute();
  const answering = useRef<Answering>(undefined);
  const body = useRef<HTMLTableSectionElement>(null);
  const [selected, setSelected] = useState<string>();
  const [open, setOpen] = useState<{ key: string; what: Open }>();
  const at = Math.max(
    0,
    rows.findIndex((row) => row.key === selected),
  );
  const toggle = (row: Row, what: Open) =>
    setOpen(open?.key === row.key && open.what === what ? undefined : { key: row.key, what });
  const enter = (row: Row) => (row.route === undefined ? toggle(row, "peek") : go(row.route));
  useRowKeys(rows, at, {
    opened: open?.key,
    answer: (key) => {
      const open = answering.current;
      open?.answer(open.offered.find((choice) => choice.key === key) ?? { key, label: "" });
    },
    select: (row) => setSelected(row?.key),
    toggle,
    enter,
  });

  useEffect(() => {
    body.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  }, [at]);

  return (
    <table class="agents" aria-label="Agents">
      <thead>
        <tr>
          <th class="agent">agent</th>
          <th class="where">workspace</th>
          <th class="doing">state</th>
          <th class="spent">last hour</th>
          <th class="number">tokens</th>
          <th class="number">cost</th>
          <th class="number" title="burn over the last ten minutes">
            $/h
          </th>
        </tr>
      </thead>
      <tbody ref={body}>
        {rows.map((row, index) => (
          <AgentRow
            key={row.key}
            minute={minute}
            onClose={() => setOpen(undefined)}
            onDismiss={() => session.dismiss(row.key)}
            onOpen={() => enter(row)}
            onAnswering={(now) => {
              answering.current = now;
            }}
            open={open?.key === row.key ? open.what : undefined}
            row={row}
            selected={index === at}
          />
        ))}
      </tbody>
    </table>
  );
}

interface RowActs {
  /** The row whose lines are shown. */
  opened: string | undefined;
  /** Answer the dialog whose screen is shown. */
  answer(key: string): void;
  select(row: Row | undefined): void;
  toggle(row: Row, what: Open): void;
  enter(row: Row): void;
}

function useRowKeys(rows: readonly Row[], at: number, acts: RowActs) {
  const { about, session } = usePage();
  const act = ({ key, repeat }: KeyboardEvent, row: Row): boolean => {
    const step = NEXT[key];
    const writes = (row.pane ?? row.luxe) !== undefined && !about.read_only;
    const answers = writes && acts.opened === row.key && row.state === "blocked";
    if (step !== undefined) {
      acts.select(rows[Math.min(Math.max(at + step, 0), rows.length - 1)]);
    } else if (ANSWER.test(key) && answers && row.pane !== undefined) {
      // A key that is held down answers once.
      if (!repeat) acts.answer(key.toLowerCase());
    } else if (key === "Enter") acts.enter(row);
    else if (key === " ") acts.toggle(row, "peek");
    else if (key === "p" && writes) acts.toggle(row, "prompt");
    else if (key === "x" && row.text !== undefined) session.dismiss(row.key);
    else return false;
    return true;
  };
  // Before the next key can arrive: a quick `j enter` opens the row that is marked then.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!isFree(event)) return;
      const row = rows[at];
      if (row !== undefined && act(event, row)) event.preventDefault();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  });
}

function Summary({ rows }: { rows: readonly Row[] }) {
  const agents = rows.filter((row) => row.agent || row.state === "failed");
  const panes = rows.filter((row) => row.pane !== undefined).length;
  const { tokens, cost, burn } = spent(rows);
  return (
    <div class="summary">
      {COUNTED.map((state) => {
        const found = agents.filter((row) => row.state === state).length;
        if (state === "failed" && found === 0) return null;
        return (
          <span key={state}>
            <strong>{found}</strong> <State named state={state} />
          </span>
        );
      })}
      <span>
        <strong>{panes}</strong> <span class="quiet">{panes === 1 ? "pane" : "panes"}</span>
      </span>
      {tokens !== undefined && (
        <span>
          <strong>{money(cost)}</strong>{" "}
          <span class="quiet">
            {burn !== undefined && `· ${hourly(burn)} `}· {count(tokens)} tokens
          </span>
        </span>
      )}
    </div>
  );
}
