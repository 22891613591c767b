/** The session's own layout, split for split, live. */

import type { Layout } from "@luvus/client";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";

import "@xterm/xterm/css/xterm.css";
import "../style/terminals.css";
import { drop, inWorkspace, running } from "../state/arrange.js";
import { offer } from "../state/commands.js";
import { usePage, useSession } from "../state/hooks.js";
import type { PaneInfo } from "../state/session.js";
import { fontReady } from "../terminal/font.js";
import { type EffectiveSize, Lease } from "../terminal/lease.js";
import { type Cell, Desk, largest } from "../terminal/desk.js";
import { panesOf, type Side, stacked } from "../terminal/tree.js";
import { Confirm } from "./confirm.js";
import { deeds } from "./deeds.js";
import { useNarrow } from "./narrow.js";
import type { PaneHandle } from "./pane.js";
import { SplitView } from "./split.js";
import { Tabs } from "./tabs.js";
import { TITLE_HEIGHT } from "./title.js";

await fontReady();

/** Browsers give a page about 16 WebGL contexts; a tab of more panes is drawn by the DOM alone. */
const ACCELERATED = 12;

export function Terminals({ onLeave }: { onLeave(): void }) {
  const session = useSession();
  const { about, route, go, say } = usePage();
  const shown = session.pane(route.pane ?? "") ?? focusedPane(session.panes);
  const [layout, unread] = useLayout(shown);
  const narrow = useNarrow();
  const [cell, setCell] = useState<Cell>();
  const [renaming, setRenaming] = useState<string>();
  const [ending, setEnding] = useState<string>();
  const desk = useRef<HTMLDivElement>(null);
  const handles = useRef(new Map<string, PaneHandle>());
  const cells = useRef(new Map<string, Cell>());
  const zoomed = layout?.zoomed ?? undefined;
  const [effective, lease] = useLease(desk, cell, layout, narrow);
  const attempt = (work: Promise<unknown>) => void work.catch((e: Error) => say(e.message));

  const focus = useCallback(
    (pane: string) => {
      if (pane !== route.pane) go({ place: "terminals", pane });
      if (about.read_only || session.pane(pane)?.focused !== false) return;
      // What is looked at is what `luvus` means without saying which pane.
      session.client.call("pane.focus", { pane }).catch((e: Error) => say(e.message));
    },
    [go, route.pane, session, about.read_only, say],
  );
  const zoom = (pane: string) =>
    attempt(session.client.call("pane.zoom", { pane, enabled: zoomed !== pane }));
  const split = (pane: string, direction: "right" | "down") =>
    attempt(
      session.client.call("pane.split", { pane, direction }).then((made) => focus(made.pane)),
    );
  const closeTab = async () => {
    if (shown === undefined) return;
    const panes = session.panes.filter((pane) => pane.tabId === shown.tabId);
    const found = await Promise.all(panes.map((pane) => running(session, pane.id)));
    const programs = [...new Set(found.flat())];
    if (programs.length === 0 && panes.length === 1) await endTab(shown);
    else setEnding(programs.length === 0 ? `${panes.length} shells` : programs.join(", "));
  };
  const endTab = (pane: PaneInfo) =>
    inWorkspace(session, pane.workspace, () =>
      session.client.call("tab.close", { tab_id: pane.tabId }),
    );
  const keep = useCallback((pane: string, handle: PaneHandle | undefined) => {
    if (handle !== undefined) handles.current.set(pane, handle);
    else {
      handles.current.delete(pane);
      cells.current.delete(pane);
    }
  }, []);
  const measured = useCallback((pane: string, one: Cell) => {
    cells.current.set(pane, one);
    const needed = largest(cells.current.values());
    setCell((known) =>
      known?.width === needed?.width && known?.height === needed?.height ? known : needed,
    );
  }, []);

  const offered = useRef(() => [] as ReturnType<typeof deeds>);
  offered.current = () =>
    shown === undefined
      ? []
      : deeds({
          session,
          shown,
          handle: handles.current.get(shown.id),
          readOnly: about.read_only,
          attempt,
          onFocus: focus,
          onSplit: split,
          onZoom: () => zoom(shown.id),
          onRenameTab: () => setRenaming(shown.tabId),
          onCloseTab: () => attempt(closeTab()),
        });
  useEffect(() => offer(() => offered.current()), []);

  if (session.snapshot === undefined) return <p class="empty">Connecting…</p>;
  if (shown === undefined) {
    return (
      <p class="empty">
        No terminal is open. Run <code>luvus tab new</code> to open one.
      </p>
    );
  }
  const single = narrow ? shown.id : zoomed;
  const place = { workspace: shown.workspace - 1, tab: shown.tab };
  return (
    <div class="terminals">
      <Tabs
        onCloseTab={() => attempt(closeTab())}
        onRenaming={setRenaming}
        renaming={renaming}
        shown={shown}
      >
        {narrow && layout !== undefined && (
          <PanePicker panes={panesOf(layout.tree)} onPick={focus} shown={shown.id} />
        )}
        <SizeNote effective={effective} onTake={() => lease.current?.take()} />
        {!narrow && (
          <span class="quiet leave">
            <kbd>ctrl .</kbd> commands and other places
          </span>
        )}
      </Tabs>
      <div class="desk" ref={desk}>
        {layout === undefined && unread !== undefined && (
          <p class="empty state-failed" role="alert">
            The layout of this tab cannot be read: {unread}
          </p>
        )}
        {layout !== undefined && (
          <SplitView
            cell={cell}
            fitted={effective?.yours === true}
            focused={shown.id}
            key={shown.tabId}
            narrow={narrow}
            accelerated={panesOf(layout.tree).length <= ACCELERATED}
            onCell={measured}
            onDrop={(pane: string, target: string, side: Side | "place") =>
              attempt(drop(session, place, layout.tree, pane, target, side))
            }
            onFocus={focus}
            onHandle={keep}
            onLeave={onLeave}
            onSplit={split}
            onZoom={zoom}
            path={[]}
            place={place}
            tree={single === undefined ? layout.tree : { Leaf: Number(single) }}
            zoomed={zoomed}
          />
        )}
      </div>
      {ending !== undefined && (
        <Confirm
          act="close tab"
          detail={`${ending} ends with it.`}
          onAct={() => attempt(endTab(shown))}
          onClose={() => setEnding(undefined)}
          question="Close this tab?"
        />
      )}
    </div>
  );
}

function SizeNote(props: { effective: EffectiveSize | undefined; onTake(): void }) {
  if (props.effective === undefined || props.effective.yours) return null;
  const { cols, rows } = props.effective;
  return (
    <>
      <span class="quiet">
        sized {cols}×{rows} by another window
      </span>
      <button onClick={props.onTake} type="button">
        fit to this one
      </button>
    </>
  );
}

interface PickerProps {
  panes: readonly string[];
  shown: string;
  onPick(pane: string): void;
}

/** On a phone: which pane of the tab is shown. */
function PanePicker({ panes, shown, onPick }: PickerProps) {
  const session = useSession();
  return (
    <select aria-label="Pane" onChange={(event) => onPick(event.currentTarget.value)} value={shown}>
      {panes.map((pane) => (
        <option key={pane} value={pane}>
          {session.pane(pane)?.name ?? session.pane(pane)?.agent ?? `shell ${pane}`}
        </option>
      ))}
    </select>
  );
}

function focusedPane(panes: readonly PaneInfo[]): PaneInfo | undefined {
  return panes.find((pane) => pane.focused) ?? panes[0];
}

/** The size in force, and the wish that it is this window's. */
function useLease(
  desk: { current: HTMLDivElement | null },
  cell: Cell | undefined,
  layout: Layout | undefined,
  narrow: boolean,
) {
  const { about, session } = usePage();
  const [effective, setEffective] = useState<EffectiveSize>();
  const lease = useRef<Lease>(undefined);
  // A narrow window looks and does not decide: what others see must not shrink to a phone.
  const looks = narrow || about.read_only;

  useEffect(() => {
    if (looks) return;
    const held = new Lease(session.client, setEffective);
    lease.current = held;
    return () => {
      lease.current = undefined;
      held.close();
      setEffective(undefined);
    };
  }, [session, looks]);

  useEffect(() => {
    const element = desk.current;
    if (element === null || cell === undefined || layout === undefined || looks) return;
    const fit = () => {
      const titles = layout.zoomed === null ? stacked(layout.tree) : 1;
      lease.current?.want(Desk.size(element, cell, titles * TITLE_HEIGHT));
    };
    fit();
    const observer = new ResizeObserver(fit);
    observer.observe(element);
    return () => observer.disconnect();
  }, [desk, cell, layout, looks]);
  return [effective, lease] as const;
}

/** The layout of a pane's tab, asked for again whenever the session has changed; or why there is none. */
function useLayout(pane: PaneInfo | undefined): [Layout | undefined, string | undefined] {
  const session = useSession();
  const [found, setFound] = useState<{ tab: string; layout: Layout }>();
  const [problem, setProblem] = useState<string>();
  const tab = pane?.tabId;
  const sequence = session.snapshot?.event_sequence;
  useEffect(() => {
    if (pane === undefined) return;
    const leaving = new AbortController();
    const params = { workspace: pane.workspace - 1, tab: pane.tab };
    const take = (layout: Layout) => {
      setProblem(undefined);
      // Another tab has taken its position meanwhile; the next snapshot says where it is.
      if (panesOf(layout.tree).includes(pane.id)) setFound({ tab: pane.tabId, layout });
    };
    session.client.call("layout.export", params, leaving.signal).then(take, (error: Error) => {
      if (!leaving.signal.aborted) setProblem(error.message);
    });
    return () => leaving.abort();
    // Positions change with every move: the snapshot's sequence says that they may have.
  }, [session, tab, sequence]);
  return [found !== undefined && found.tab === tab ? found.layout : undefined, problem];
}
