/** One pane: a thin title, its terminal, and on a phone the keys that a phone lacks. */

import { useEffect, useRef, useState } from "preact/hooks";

import { running } from "../state/arrange.js";
import { usePage, useSession } from "../state/hooks.js";
import type { Cell } from "../terminal/desk.js";
import { FONT_SIZE } from "../terminal/font.js";
import { Screen } from "../terminal/screen.js";
import { onRecolour, terminalTheme } from "../terminal/theme.js";
import { dropSide, type Side } from "../terminal/tree.js";
import { Confirm } from "./confirm.js";
import { useCopy } from "./copy.js";
import { KeyBar } from "./keybar.js";
import { Peek } from "./peek.js";
import { PANE_KIND, Title } from "./title.js";

/** What the text view shows: as much as the server tells at once. */
const TEXT_LINES = 300;

/** What the keyboard can do to a pane that is shown. */
export interface PaneHandle {
  focus(): void;
  search(): void;
  text(): void;
  copy(): void;
  paste(): void;
  rename(): void;
  close(): void;
}

export interface PaneProps {
  id: string;
  focused: boolean;
  zoomed: boolean;
  narrow: boolean;
  /** Whether the size of this window is the size of the terminals. */
  fitted: boolean;
  /** Whether it is drawn by WebGL, if the browser can. */
  accelerated: boolean;
  onCell(cell: Cell): void;
  onFocus(): void;
  onLeave(): void;
  onSplit(direction: "right" | "down"): void;
  onZoom(): void;
  /** A pane was dropped here. */
  onDrop(pane: string, side: Side | "place"): void;
  onHandle(pane: string, handle: PaneHandle | undefined): void;
}

interface Question {
  question: string;
  detail: string;
  act: string;
  keep?: string;
  yes(): void;
}

export function PaneView(props: PaneProps) {
  const { about, session, say } = usePage();
  const { id, focused } = props;
  const info = useSession().pane(id);
  const holder = useRef<HTMLDivElement>(null);
  const screen = useRef<Screen>(undefined);
  const [live, setLive] = useState(false);
  const [size, setSize] = useState<string>();
  const [searching, setSearching] = useState(false);
  const [found, setFound] = useState("");
  const [renaming, setRenaming] = useState(false);
  const [asText, setAsText] = useState(false);
  const [question, setQuestion] = useState<Question>();
  const [offer, setOffer] = useState<string>();
  const [control, setControl] = useState(false);
  const [side, setSide] = useState<Side | "place">();
  const name = info?.name ?? info?.agent ?? `shell ${id}`;

  const attempt = (work: Promise<unknown>) => void work.catch((e: Error) => say(e.message));
  const back = () => screen.current?.terminal.focus();
  const endSearch = (open: boolean) => {
    setSearching(open);
    if (open) return;
    screen.current?.endSearch();
    setFound("");
    back();
  };
  const close = async () => {
    const end = () => attempt(session.client.call("pane.close", { pane: id }));
    const programs = info?.agent === undefined ? await running(session, id) : [info.agent];
    if (programs.length === 0) end();
    else {
      const detail = `${programs.join(", ")} ends with it.`;
      setQuestion({ question: `Close ${name}?`, detail, act: "close pane", yes: end });
    }
  };
  const handlers = useRef({ props, setQuestion });
  handlers.current = { props, setQuestion };

  useEffect(() => {
    const element = holder.current;
    if (element === null) return;
    const shown = new Screen(
      session.client,
      id,
      {
        onLive: setLive,
        onRefused: say,
        onLeave: () => handlers.current.props.onLeave(),
        onControl: setControl,
        onOffer: setOffer,
        onFound: (at, count) =>
          setFound(count === 0 ? "nothing" : at < 0 ? `${count}` : `${at + 1} of ${count}`),
        onPasteAsked: (lines, paste) =>
          handlers.current.setQuestion({
            question: lines === 1 ? "Paste a line with its end?" : `Paste ${lines} lines?`,
            detail: "The program takes each of them as if Enter was pressed.",
            act: "paste",
            keep: "do not",
            yes: paste,
          }),
        onSize: (cols, rows) => {
          setSize(`${cols}×${rows}`);
          const cell = shown.cell();
          if (cell !== undefined) handlers.current.props.onCell(cell);
        },
      },
      { fontSize: FONT_SIZE, theme: terminalTheme(), readOnly: about.read_only },
    );
    screen.current = shown;
    shown.open(element, handlers.current.props.accelerated);
    const stop = onRecolour(() => {
      shown.terminal.options.theme = terminalTheme();
    });
    const focus = () => handlers.current.props.onFocus();
    shown.terminal.textarea?.addEventListener("focus", focus);
    return () => {
      stop();
      shown.terminal.textarea?.removeEventListener("focus", focus);
      shown.dispose();
    };
  }, [id, session, about.read_only, say]);

  useEffect(() => {
    if (focused) screen.current?.terminal.focus();
  }, [focused]);

  const acts = useRef<PaneHandle>(undefined);
  acts.current = {
    focus: back,
    search: () => setSearching(true),
    text: () => setAsText(!asText),
    copy: () => void screen.current?.copy(),
    paste: () => void screen.current?.pasteClipboard(),
    rename: () => setRenaming(true),
    close: () => attempt(close()),
  };
  useEffect(() => {
    const call = (act: keyof PaneHandle) => () => acts.current?.[act]();
    handlers.current.props.onHandle(id, {
      focus: call("focus"),
      search: call("search"),
      text: call("text"),
      copy: call("copy"),
      paste: call("paste"),
      rename: call("rename"),
      close: call("close"),
    });
    return () => handlers.current.props.onHandle(id, undefined);
  }, [id]);

  return (
    <section
      aria-label={`Pane ${id}: ${name}`}
      class={`pane${focused ? " focused" : ""}${live ? "" : " stale"}${asText ? " text" : ""}`}
      data-drop={side}
      onDragLeave={() => setSide(undefined)}
      onDragOver={(event) => {
        if (!event.dataTransfer?.types.includes(PANE_KIND)) return;
        event.preventDefault();
        setSide(sideOf(event));
      }}
      onDrop={(event) => {
        const dragged = event.dataTransfer?.getData(PANE_KIND);
        setSide(undefined);
        if (!dragged) return;
        event.preventDefault();
        if (dragged !== id) props.onDrop(dragged, sideOf(event));
      }}
    >
      <Title
        asText={asText}
        found={found}
        id={id}
        name={name}
        narrow={props.narrow}
        onClose={() => attempt(close())}
        onFind={(text, backwards) => screen.current?.find(text, backwards)}
        onRenaming={(open) => {
          setRenaming(open);
          if (!open) back();
        }}
        onSearching={endSearch}
        onReadable={() => setAsText(!asText)}
        onSplit={props.onSplit}
        onZoom={props.onZoom}
        renaming={renaming}
        searching={searching}
        size={props.fitted ? undefined : size}
        zoomed={props.zoomed}
      />
      <div class="screen" ref={holder} />
      {asText && (
        <div aria-label={`Text of ${name}`} class="reading" role="document" tabIndex={0}>
          <Peek lines={TEXT_LINES} pane={id} whole />
        </div>
      )}
      {offer !== undefined && <Offer onDone={() => setOffer(undefined)} text={offer} />}
      {question !== undefined && (
        <Confirm
          act={question.act}
          detail={question.detail}
          {...(question.keep === undefined ? {} : { keep: question.keep })}
          onAct={question.yes}
          onClose={() => {
            setQuestion(undefined);
            back();
          }}
          question={question.question}
        />
      )}
      {focused && !about.read_only && <KeyBar control={control} screen={screen.current} />}
    </section>
  );
}

/** What a program wants to be copied; a person decides. */
function Offer({ text, onDone }: { text: string; onDone(): void }) {
  const copy = useCopy();
  return (
    <p class="offer" role="status">
      <span>The program offers {text.length} characters for the clipboard.</span>
      <button
        onClick={() =>
          void copy(text, `${text.length} characters`).then((done) => done && onDone())
        }
        type="button"
      >
        copy
      </button>
      <button class="plain" onClick={onDone} type="button">
        dismiss
      </button>
    </p>
  );
}

function sideOf(event: DragEvent): Side | "place" {
  const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
  return dropSide((event.clientX - box.x) / box.width, (event.clientY - box.y) / box.height);
}
