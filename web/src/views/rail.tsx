/** The workspaces and who is in them, always at hand; below them what it all costs. */

import { useState } from "preact/hooks";

import { useLuxe } from "../luxe/hooks.js";
import { hourly, money } from "../state/format.js";
import { usePage, useSession } from "../state/hooks.js";
import { foremost } from "../state/order.js";
import { labelOf, type Row, spent } from "../state/rows.js";
import { State } from "./state.js";

const FOLDED = "luvus-folded";
/** Folded workspaces that are remembered, also of sessions that are gone. */
const MOST = 200;
const MAC = /^(?:mac|ip)/i.test(navigator.platform);

export function Rail({ onFind }: { onFind(): void }) {
  const session = useSession();
  const [folded, fold] = useFolded();
  return (
    <aside class="rail" aria-label="Workspaces">
      <button class="find" onClick={onFind} type="button">
        find <kbd>{MAC ? "⌘K" : "ctrl K"}</kbd>
      </button>
      <h2>workspaces</h2>
      <ul class="places">
        {session.snapshot?.workspaces.map((workspace) => (
          <Place
            branch={workspace.branch ?? undefined}
            cwd={workspace.cwd}
            folded={folded.has(workspace.workspace_id)}
            key={workspace.workspace_id}
            name={workspace.name}
            onFold={() => fold(workspace.workspace_id)}
            rows={session.rows.filter((row) => row.workspaceId === workspace.workspace_id)}
          />
        ))}
        <Elsewhere />
      </ul>
      <Spending />
    </aside>
  );
}

/** Agents of ours that work in no workspace's folder. */
function Elsewhere() {
  const { rows, snapshot } = useSession();
  const [folded, setFolded] = useState(false);
  const known = new Set(snapshot?.workspaces.map(({ workspace_id: id }) => id));
  const found = rows.filter((row) => row.luxe !== undefined && !known.has(row.workspaceId));
  if (found.length === 0) return null;
  return (
    <Place
      branch={undefined}
      cwd={undefined}
      folded={folded}
      name="elsewhere"
      onFold={() => setFolded(!folded)}
      rows={found}
    />
  );
}

interface PlaceProps {
  name: string;
  cwd: string | undefined;
  branch: string | undefined;
  rows: readonly Row[];
  folded: boolean;
  onFold(): void;
}

function Place({ name, cwd, branch, rows, folded, onFold }: PlaceProps) {
  const { about, go, route } = usePage();
  const store = useLuxe();
  const first = foremost(rows);
  return (
    <li class="place">
      <button aria-expanded={!folded} class="plain" onClick={onFold} title={cwd} type="button">
        <span aria-hidden="true">{folded ? "▸" : "▾"}</span>
        <span class="cut">
          {name} <span class="quiet">{branch && `⎇ ${branch}`}</span>
        </span>
        {folded && first !== undefined && (
          <span class="end">
            <State state={first} /> <span class="quiet">{rows.length}</span>
          </span>
        )}
      </button>
      {cwd !== undefined && !about.read_only && (
        <button
          aria-label={`Start Luxe in ${name}`}
          class="plain begin"
          onClick={() => store.start(cwd)}
          title={`Start Luxe in ${name}`}
          type="button"
        >
          +
        </button>
      )}
      {!folded && (
        <ul class="panes">
          {rows.map((row) => (
            <li key={row.key}>
              <button
                aria-current={
                  row.pane === undefined
                    ? row.luxe !== undefined && route.session === row.luxe.session_id
                    : route.pane === row.pane.id
                }
                class="plain"
                onClick={() => go(row.route ?? { place: "overview", pane: undefined })}
                title={row.title ?? row.folder}
                type="button"
              >
                <State state={row.state} />
                <span class="cut">{labelOf(row)}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

/** What the agents cost together, what they cost an hour, and how much of the budget that is. */
function Spending() {
  const { figures, rows } = useSession();
  const { cost, burn } = spent(rows);
  const { budget } = figures;
  if (cost === undefined && budget === undefined) return null;
  const over = budget !== undefined && (cost ?? 0) > budget;
  return (
    <p class="spending number">
      <strong class={over ? "state-failed" : ""}>{money(cost)}</strong>{" "}
      <span class="quiet">
        {budget !== undefined && `of ${money(budget)} `}
        {burn !== undefined && `· ${hourly(burn)}`}
      </span>
      {budget !== undefined && budget > 0 && (
        <span
          aria-label="Budget used"
          aria-valuemax={100}
          aria-valuemin={0}
          aria-valuenow={Math.min(100, Math.round(((cost ?? 0) / budget) * 100))}
          class="meter"
          role="meter"
        >
          <span style={{ width: `${Math.min(100, ((cost ?? 0) / budget) * 100)}%` }} />
        </span>
      )}
      {over && <span class="state-failed">✕ over budget</span>}
    </p>
  );
}

/** The workspaces that are folded, as this browser remembers them. */
function useFolded(): [ReadonlySet<string>, (workspace: string) => void] {
  const [folded, setFolded] = useState<ReadonlySet<string>>(() => {
    try {
      return new Set(JSON.parse(localStorage.getItem(FOLDED) ?? "[]") as string[]);
    } catch {
      return new Set();
    }
  });
  const fold = (workspace: string) => {
    const next = new Set(folded);
    if (!next.delete(workspace)) next.add(workspace);
    setFolded(next);
    try {
      localStorage.setItem(FOLDED, JSON.stringify([...next].slice(-MOST)));
    } catch {
      // A browser that stores nothing forgets it with the page.
    }
  };
  return [folded, fold];
}
