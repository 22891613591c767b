/** One pane: a thin title, its terminal, and on a phone the keys that a phone lacks. */

import { useEffect, useRef, useState } from "preact/hooks";

import { shortPath } from "../state/format.js";
import { usePage, useSession } from "../state/hooks.js";
import type { Cell } from "../terminal/desk.js";
import { Screen } from "../terminal/screen.js";
import { terminalTheme } from "../terminal/theme.js";
import { Confirm } from "./confirm.js";
import { State } from "./state.js";

export const TITLE_HEIGHT = 24;
const FONT_SIZE = 13;
/** Browsers give a page about 16 WebGL contexts; further panes are drawn by the DOM. */
const ACCELERATED = 12;
const KEY_BAR: readonly [string, string][] = [
  ["esc", "\x1b"],
  ["tab", "\t"],
  ["^C", "\x03"],
  ["^D", "\x04"],
  ["←", "\x1b[D"],
  ["↑", "\x1b[A"],
  ["↓", "\x1b[B"],
  ["→", "\x1b[C"],
];

let accelerated = 0;

export interface PaneProps {
  id: string;
  focused: boolean;
  onCell(cell: Cell): void;
  onFocus(): void;
  onLeave(): void;
  onZoom(): void;
}

export function PaneView(props: PaneProps) {
  const { about, session, say } = usePage();
  const { id, focused } = props;
  const info = useSession().pane(id);
  const holder = useRef<HTMLDivElement>(null);
  const screen = useRef<Screen>(undefined);
  const handlers = useRef(props);
  handlers.current = props;
  const [live, setLive] = useState(false);
  const [searching, setSearching] = useState(false);
  const [closing, setClosing] = useState(false);

  useEffect(() => {
    const element = holder.current;
    if (element === null) return;
    const shown = new Screen(
      session.client,
      id,
      {
        onLive: setLive,
        onRefused: say,
        onLeave: () => handlers.current.onLeave(),
        onSize: () => {
          const cell = shown.cell();
          if (cell !== undefined) handlers.current.onCell(cell);
        },
      },
      { fontSize: FONT_SIZE, theme: terminalTheme(), readOnly: about.read_only },
    );
    const quick = accelerated < ACCELERATED;
    if (quick) accelerated += 1;
    screen.current = shown;
    shown.open(element, quick);
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const recolour = () => {
      shown.terminal.options.theme = terminalTheme();
    };
    dark.addEventListener("change", recolour);
    const focus = () => handlers.current.onFocus();
    shown.terminal.textarea?.addEventListener("focus", focus);
    return () => {
      dark.removeEventListener("change", recolour);
      shown.terminal.textarea?.removeEventListener("focus", focus);
      shown.dispose();
      if (quick) accelerated -= 1;
    };
  }, [id, session, about.read_only, say]);

  useEffect(() => {
    if (focused) screen.current?.terminal.focus();
  }, [focused]);

  const attempt = (work: Promise<unknown>) => void work.catch((e: Error) => say(e.message));
  const name = info?.name ?? info?.agent ?? `shell ${id}`;
  return (
    <section
      aria-label={`Pane ${id}: ${name}`}
      class={`pane${focused ? " focused" : ""}${live ? "" : " stale"}`}
    >
      <header>
        {info !== undefined && <State state={info.state} />}
        <strong class="cut">{name}</strong>
        <span class="quiet cut">{info && shortPath(info.cwd)}</span>
        <span class="quiet cut">{info?.branch && `⎇ ${info.branch}`}</span>
        <span class="end" />
        {searching && (
          <input
            aria-label="Search in this pane"
            autoFocus
            onKeyDown={(event) => {
              event.stopPropagation();
              if (event.key === "Escape") setSearching(false);
              if (event.key !== "Enter") return;
              const wanted = event.currentTarget.value;
              if (event.shiftKey) screen.current?.search.findPrevious(wanted);
              else screen.current?.search.findNext(wanted);
            }}
            placeholder="search"
          />
        )}
        <Act rare label="Search" onAct={() => setSearching(!searching)} sign="⌕" />
        <Act label="Zoom" onAct={props.onZoom} sign="⤢" />
        {!about.read_only && (
          <>
            <Act
              rare
              label="Split to the right"
              onAct={() =>
                attempt(session.client.call("pane.split", { pane: id, direction: "right" }))
              }
              sign="◫"
            />
            <Act
              rare
              label="Split downwards"
              onAct={() =>
                attempt(session.client.call("pane.split", { pane: id, direction: "down" }))
              }
              sign="⬓"
            />
            <Act label="Close" onAct={() => setClosing(true)} sign="✕" />
          </>
        )}
      </header>
      <div class="screen" ref={holder} />
      {closing && (
        <Confirm
          act="close pane"
          detail="What runs in it ends."
          onAct={() => attempt(session.client.call("pane.close", { pane: id }))}
          onClose={() => setClosing(false)}
          question={`Close ${name}?`}
        />
      )}
      {focused && !about.read_only && (
        <div class="keybar" role="toolbar" aria-label="Keys">
          {KEY_BAR.map(([label, keys]) => (
            <button key={label} onClick={() => screen.current?.type(keys)} type="button">
              {label}
            </button>
          ))}
        </div>
      )}
    </section>
  );
}

interface ActProps {
  label: string;
  sign: string;
  /** Left out where there is little room. */
  rare?: boolean;
  onAct(): void;
}

function Act({ label, sign, rare, onAct }: ActProps) {
  return (
    <button
      aria-label={label}
      class={rare ? "plain rare" : "plain"}
      onClick={onAct}
      title={label}
      type="button"
    >
      <span aria-hidden="true">{sign}</span>
    </button>
  );
}
