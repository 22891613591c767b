/** The session's own layout, split for split, live. */

import { useCallback, useEffect, useRef, useState } from "preact/hooks";

import "@xterm/xterm/css/xterm.css";
import { usePage, useSession } from "../state/hooks.js";
import type { PaneInfo } from "../state/session.js";
import { type EffectiveSize, Lease } from "../terminal/lease.js";
import { type Cell, Desk } from "../terminal/desk.js";
import { panesOf, stacked, type Tree } from "../terminal/tree.js";
import { Tabs } from "./tabs.js";
import { useNarrow } from "./narrow.js";
import { TITLE_HEIGHT } from "./pane.js";
import { SplitView } from "./split.js";

export function Terminals({ onLeave }: { onLeave(): void }) {
  const session = useSession();
  const { about, route, go } = usePage();
  const shown = session.pane(route.pane ?? "") ?? focusedPane(session.panes);
  const layout = useLayout(shown);
  const [zoomed, setZoomed] = useState<string>();
  const narrow = useNarrow();
  const [effective, setEffective] = useState<EffectiveSize>();
  const [cell, setCell] = useState<Cell>();
  const desk = useRef<HTMLDivElement>(null);
  const lease = useRef<Lease>(undefined);

  useEffect(() => {
    if (about.read_only) return;
    const held = new Lease(session.client, setEffective);
    lease.current = held;
    return () => held.close();
  }, [session, about.read_only]);

  useEffect(() => {
    const element = desk.current;
    if (element === null || cell === undefined || layout === undefined) return;
    // A narrow window looks and does not decide: what others see must not shrink to a phone.
    if (narrow) return;
    const fit = () => {
      const titles = zoomed === undefined ? stacked(layout) : 1;
      lease.current?.want(Desk.size(element, cell, titles * TITLE_HEIGHT));
    };
    fit();
    const observer = new ResizeObserver(fit);
    observer.observe(element);
    return () => observer.disconnect();
  }, [cell, layout, zoomed, narrow]);

  const focus = useCallback(
    (pane: string) => {
      if (pane !== route.pane) go({ place: "terminals", pane });
    },
    [go, route.pane],
  );

  if (session.snapshot === undefined) return <p class="empty">Connecting…</p>;
  if (shown === undefined) {
    return (
      <p class="empty">
        No terminal is open. Run <code>luvus tab new</code> to open one.
      </p>
    );
  }
  const single = narrow ? shown.id : zoomed;
  return (
    <div class="terminals">
      <Tabs shown={shown}>
        {narrow && layout !== undefined && (
          <select
            aria-label="Pane"
            onChange={(event) => focus(event.currentTarget.value)}
            value={shown.id}
          >
            {panesOf(layout).map((pane) => (
              <option key={pane} value={pane}>
                {session.pane(pane)?.name ?? session.pane(pane)?.agent ?? `shell ${pane}`}
              </option>
            ))}
          </select>
        )}
        {effective !== undefined && !effective.yours && (
          <>
            <span class="quiet">
              sized {effective.cols}×{effective.rows} by another window
            </span>
            <button onClick={() => lease.current?.take()} type="button">
              fit to this one
            </button>
          </>
        )}
        {!narrow && (
          <span class="quiet">
            <kbd>ctrl .</kbd> leaves the terminal
          </span>
        )}
      </Tabs>
      <div class="desk" ref={desk}>
        {layout !== undefined && (
          <SplitView
            cell={cell}
            focused={shown.id}
            key={shown.tabId}
            onCell={setCell}
            onFocus={focus}
            onLeave={onLeave}
            onZoom={(pane) => setZoomed(zoomed === pane ? undefined : pane)}
            path={[]}
            place={{ workspace: shown.workspace - 1, tab: shown.tab }}
            tree={single === undefined ? layout : { Leaf: Number(single) }}
          />
        )}
      </div>
    </div>
  );
}

function focusedPane(panes: readonly PaneInfo[]): PaneInfo | undefined {
  return panes.find((pane) => pane.focused) ?? panes[0];
}

/** The tree of a pane's tab; asked for again whenever the session has changed. */
function useLayout(pane: PaneInfo | undefined): Tree | undefined {
  const session = useSession();
  const [found, setFound] = useState<{ tab: string; tree: Tree }>();
  const tab = pane?.tabId;
  const sequence = session.snapshot?.event_sequence;
  useEffect(() => {
    if (pane === undefined) return;
    const leaving = new AbortController();
    const params = { workspace: pane.workspace - 1, tab: pane.tab };
    session.client.call("layout.export", params, leaving.signal).then(
      ({ tree }) => setFound({ tab: pane.tabId, tree }),
      () => undefined,
    );
    return () => leaving.abort();
    // Positions change with every move: the snapshot's sequence says that they may have.
  }, [session, tab, sequence]);
  return found !== undefined && found.tab === tab ? found.tree : undefined;
}
