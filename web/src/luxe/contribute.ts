/** Lets agent sessions stand among the page's rows, and ring when one begins to need somebody. */

import type { LuxeRow } from "@luvus/client";

import type { Session } from "../state/session.js";
import { luxeRow, Usage } from "./rows.js";
import type { LuxeStore } from "./store.js";

const SOURCE = "luxe";

/** Keep the page's rows of agent sessions true; returns what stops it. */
export function contribute(store: LuxeStore, session: Session): () => void {
  const usage = new Usage();
  const states = new Map<string, LuxeRow["state"]>();
  let rows: readonly LuxeRow[] | undefined;
  let workspaces: unknown;
  let rings = false;
  const change = () => {
    const folders = session.snapshot?.workspaces;
    if (rows === store.rows && workspaces === folders) return;
    if (rows !== store.rows) {
      usage.take(store.rows, Math.floor(Date.now() / 60_000));
      if (rings) for (const row of store.rows) ring(session, row, states.get(row.session_id));
      states.clear();
      for (const row of store.rows) states.set(row.session_id, row.state);
      // What waited before the page was opened is shown and does not ring.
      rings = store.known;
    }
    [rows, workspaces] = [store.rows, folders];
    const shown = store.rows.map((row) => luxeRow(row, folders ?? [], usage.of(row.session_id)));
    session.contribute(SOURCE, shown);
  };
  change();
  const stops = [store.subscribe(change), session.subscribe(change)];
  return () => {
    for (const stop of stops) stop();
    session.contribute(SOURCE, []);
  };
}

function ring(session: Session, row: LuxeRow, before: LuxeRow["state"] | undefined): void {
  if (row.state === before || (row.state !== "blocked" && row.state !== "failed")) return;
  // Whoever looks at it sees it.
  if (document.hasFocus() && location.pathname === `/luxe/${row.session_id}`) return;
  const where = row.cwd.slice(row.cwd.lastIndexOf("/") + 1);
  const text = row.state === "failed" ? (row.error ?? "failed") : "needs you";
  session.rings.ring({ kind: row.state, who: "luxe", where, text, pane: undefined });
}
