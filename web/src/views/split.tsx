/** A split and its two parts, or a pane; drawn at the size that the server gave the terminals. */

import { useRef } from "preact/hooks";

import { usePage } from "../state/hooks.js";
import type { Cell } from "../terminal/desk.js";
import { COLUMNS, leaf, parts, type Path, type Side, type Tree } from "../terminal/tree.js";
import { type PaneHandle, PaneView } from "./pane.js";

/** How far one key press moves a divider. */
const STEP = 0.02;

export interface SplitProps {
  tree: Tree;
  path: Path;
  place: { workspace: number; tab: number };
  cell: Cell | undefined;
  focused: string;
  zoomed: string | undefined;
  narrow: boolean;
  fitted: boolean;
  /** Whether the panes are drawn by WebGL, as far as the browser can. */
  accelerated: boolean;
  onCell(pane: string, cell: Cell): void;
  onDrop(pane: string, target: string, side: Side | "place"): void;
  onFocus(pane: string): void;
  onHandle(pane: string, handle: PaneHandle | undefined): void;
  onLeave(): void;
  onSplit(pane: string, direction: "right" | "down"): void;
  onZoom(pane: string): void;
}

export function SplitView(props: SplitProps) {
  const split = parts(props.tree);
  const pane = leaf(props.tree);
  if (split === undefined) {
    return (
      <PaneView
        fitted={props.fitted}
        focused={props.focused === pane}
        id={String(pane)}
        key={pane}
        narrow={props.narrow}
        accelerated={props.accelerated}
        onCell={(cell) => props.onCell(String(pane), cell)}
        onDrop={(dragged, side) => props.onDrop(dragged, String(pane), side)}
        onFocus={() => props.onFocus(String(pane))}
        onHandle={props.onHandle}
        onLeave={props.onLeave}
        onSplit={(direction) => props.onSplit(String(pane), direction)}
        onZoom={() => props.onZoom(String(pane))}
        zoomed={props.zoomed === pane}
      />
    );
  }
  const columns = split.axis === COLUMNS;
  return (
    <div class={`split ${columns ? "columns" : "rows"}`}>
      <SplitView {...props} path={[...props.path, "a"]} tree={split.a} />
      <Divider {...props} columns={columns} ratio={split.ratio} />
      <SplitView {...props} path={[...props.path, "b"]} tree={split.b} />
    </div>
  );
}

function Divider(props: SplitProps & { columns: boolean; ratio: number }) {
  const { about, session, say } = usePage();
  const { columns, path, place, ratio } = props;
  const busy = useRef(false);
  const next = useRef<number | undefined>(undefined);

  // One request at a time, then the newest wish: dragging is faster than a round trip.
  const set = async (wanted: number) => {
    next.current = Math.min(1, Math.max(0, wanted));
    if (busy.current) return;
    busy.current = true;
    try {
      while (next.current !== undefined) {
        const to = next.current;
        next.current = undefined;
        await session.client.call("layout.set_split_ratio", { ...place, path, ratio: to });
      }
    } catch (error) {
      say((error as Error).message);
    } finally {
      busy.current = false;
    }
  };

  const drag = (event: PointerEvent) => {
    const handle = event.currentTarget as HTMLElement;
    const box = handle.parentElement?.getBoundingClientRect();
    if (about.read_only || box === undefined) return;
    event.preventDefault();
    handle.setPointerCapture(event.pointerId);
    const move = (to: PointerEvent) =>
      void set(columns ? (to.clientX - box.x) / box.width : (to.clientY - box.y) / box.height);
    const end = () => {
      handle.removeEventListener("pointermove", move);
      handle.removeEventListener("pointerup", end);
      handle.removeEventListener("pointercancel", end);
    };
    handle.addEventListener("pointermove", move);
    handle.addEventListener("pointerup", end);
    handle.addEventListener("pointercancel", end);
  };

  const key = (event: KeyboardEvent) => {
    const less = columns ? "ArrowLeft" : "ArrowUp";
    const more = columns ? "ArrowRight" : "ArrowDown";
    if (about.read_only || (event.key !== less && event.key !== more)) return;
    event.preventDefault();
    void set(ratio + (event.key === more ? STEP : -STEP));
  };

  return (
    <div
      aria-label="Divider"
      aria-orientation={columns ? "vertical" : "horizontal"}
      aria-valuemax={100}
      aria-valuemin={0}
      aria-valuenow={Math.round(ratio * 100)}
      class="divider"
      onKeyDown={key}
      onPointerDown={drag}
      role="separator"
      style={columns ? { width: `${props.cell?.width ?? 8}px` } : undefined}
      tabIndex={0}
    />
  );
}
