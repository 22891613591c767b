/**
 * One pane in an xterm.js: shows what the server sends, sends what is typed, answers nothing.
 *
 * The server decides the size. Output is acknowledged when it is on the screen, so that a flood
 * waits at the server, which sends a new picture instead of a backlog.
 */

import {
  type Channel,
  type Client,
  ConnectionLost,
  FINAL,
  FIRST_DELAY_MS,
  LONGEST_DELAY_MS,
  LuvusError,
  type Streams,
} from "@luvus/client";
import { SearchAddon } from "@xterm/addon-search";
import { Unicode11Addon } from "@xterm/addon-unicode11";
import { WebLinksAddon } from "@xterm/addon-web-links";
import { WebglAddon } from "@xterm/addon-webgl";
import { type ITheme, Terminal } from "@xterm/xterm";

import { mayOpen } from "../state/links.js";
import { isLeave } from "./chord.js";
import { FONT } from "./font.js";
import { type BarKey, controlled, sequence } from "./keys.js";
import { linesEntered, offered, PASTE_CHARACTERS } from "./paste.js";
import { CLIPBOARD, silence } from "./silence.js";

const SCROLLBACK_LINES = 5_000;
/** Characters of one line of input; more is sent in pieces. */
const INPUT_CHARACTERS = 65_536;
/** Colours that a program chose are made readable: AA, as everywhere on the page. */
const CONTRAST = 4.5;
const RESET = "\x1bc";

export interface ScreenEvents {
  /** The terminal has this size now. */
  onSize?(cols: number, rows: number): void;
  /** Whether what is shown is live. */
  onLive?(live: boolean): void;
  /** The server refused something. */
  onRefused?(message: string): void;
  /** The chord that leaves the terminal was pressed. */
  onLeave?(): void;
  /** A paste would enter so many lines one by one; `paste` does it nevertheless. */
  onPasteAsked?(lines: number, paste: () => void): void;
  /** The program offers text for the clipboard; only a person may put it there. */
  onOffer?(text: string): void;
  /** Whether the control key of the key bar is held for the next character. */
  onControl?(held: boolean): void;
  /** Which of how many places a search has found, from 0; -1 when there is none. */
  onFound?(index: number, count: number): void;
}

type Frame = Streams["view.pane"]["frame"];

export class Screen {
  readonly terminal: Terminal;
  readonly search = new SearchAddon();
  private channel: Channel | undefined;
  private failures = 0;
  private retry: ReturnType<typeof setTimeout> | undefined;
  private disposed = false;
  private control = false;

  constructor(
    private readonly client: Client,
    private readonly pane: string,
    private readonly events: ScreenEvents,
    options: { fontSize: number; theme: ITheme; readOnly: boolean },
  ) {
    this.terminal = new Terminal({
      allowProposedApi: true,
      cursorBlink: false,
      disableStdin: options.readOnly,
      fontFamily: FONT,
      fontSize: options.fontSize,
      // A program gives such a link a text of its own: where it leads is seen before it is pressed.
      linkHandler: {
        activate: (_event, uri) => this.visit(uri),
        allowNonHttpProtocols: true,
        hover: (_event, uri) => this.point(uri),
        leave: () => this.point(""),
      },
      macOptionIsMeta: true,
      minimumContrastRatio: CONTRAST,
      scrollback: SCROLLBACK_LINES,
      theme: options.theme,
    });
    silence(this.terminal);
    this.terminal.parser.registerOscHandler(CLIPBOARD, (data) => this.offer(data));
    this.terminal.loadAddon(this.search);
    this.search.onDidChangeResults((found) =>
      this.events.onFound?.(found.resultIndex, found.resultCount),
    );
    this.terminal.loadAddon(new Unicode11Addon());
    this.terminal.unicode.activeVersion = "11";
    this.terminal.loadAddon(new WebLinksAddon((_event, uri) => this.visit(uri)));
    this.terminal.onData((data) => this.type(this.control ? this.withControl(data) : data));
    // Reports of an old mouse protocol: bytes that are no text.
    this.terminal.onBinary((data) => {
      this.channel?.send({ action: "type_bytes", base64: btoa(data) });
    });
    this.terminal.attachCustomKeyEventHandler((event) => this.key(event));
  }

  /** Show the terminal in an element and begin. */
  open(element: HTMLElement, accelerated: boolean): void {
    this.terminal.open(element);
    element.addEventListener("paste", this.onPaste, { capture: true });
    if (accelerated) this.accelerate();
    this.connect();
  }

  /** The size of a character cell in CSS pixels; undefined before it is drawn. */
  cell(): { width: number; height: number } | undefined {
    // xterm.js measures it and does not tell; its own fit addon reads it here as well.
    const core = (this.terminal as unknown as { _core?: Core })._core;
    const cell = core?._renderService?.dimensions?.css?.cell;
    return cell !== undefined && cell.width > 0 ? cell : undefined;
  }

  /** Send text as if it had been typed. */
  type(text: string): void {
    for (let at = 0; at < text.length; at += INPUT_CHARACTERS) {
      this.channel?.send({ action: "type", text: text.slice(at, at + INPUT_CHARACTERS) });
    }
  }

  /** Press a key that the keyboard lacks, as the program expects it now. */
  press(key: BarKey): void {
    this.type(sequence(key, this.terminal.modes.applicationCursorKeysMode, this.control));
    this.hold(false);
  }

  /** Hold the control key for the next character, or no longer. */
  hold(control: boolean): void {
    this.control = control;
    this.events.onControl?.(control);
  }

  /** Paste text as the program asked to get one; ask first where each line would be entered. */
  paste(text: string): void {
    const send = () => {
      if (this.channel !== undefined) this.channel.send({ action: "paste", text });
      else this.events.onRefused?.("Nothing was pasted: the pane is not connected.");
    };
    const lines = linesEntered(text, this.terminal.modes.bracketedPasteMode);
    if (text.length > PASTE_CHARACTERS) {
      this.events.onRefused?.(`A paste has at most ${PASTE_CHARACTERS} characters.`);
    } else if (lines > 0 && this.events.onPasteAsked !== undefined) {
      this.events.onPasteAsked(lines, send);
    } else if (text !== "") {
      send();
    }
  }

  /** Paste what is in the clipboard; the browser asks whether the page may read it. */
  async pasteClipboard(): Promise<void> {
    try {
      this.paste(await navigator.clipboard.readText());
    } catch {
      this.events.onRefused?.("The browser does not let this page read the clipboard.");
    }
  }

  /** Copy the selection, if there is one. */
  async copy(): Promise<void> {
    if (!this.terminal.hasSelection()) return;
    try {
      await navigator.clipboard.writeText(this.terminal.getSelection());
    } catch {
      this.events.onRefused?.("The browser does not let this page write to the clipboard.");
    }
  }

  /** Go to the next place, or the one before, where a text stands. */
  find(text: string, backwards: boolean): void {
    if (backwards) this.search.findPrevious(text, { decorations: MARKS });
    else this.search.findNext(text, { decorations: MARKS });
  }

  /** End a search and what it marked. */
  endSearch(): void {
    this.search.clearDecorations();
    this.terminal.clearSelection();
  }

  dispose(): void {
    this.disposed = true;
    clearTimeout(this.retry);
    this.channel?.close();
    this.terminal.element?.parentElement?.removeEventListener("paste", this.onPaste, {
      capture: true,
    });
    this.terminal.dispose();
  }

  private connect(): void {
    const params = { pane: this.pane, acknowledges: true };
    this.channel = this.client.open("view.pane", params, {
      acknowledged: ({ writable }) => {
        this.failures = 0;
        this.terminal.options.disableStdin = !writable;
      },
      frame: (frame) => this.frame(frame),
      ended: (error) => this.ended(error),
    });
  }

  private frame(frame: Frame): void {
    switch (frame.event) {
      case "view.snapshot":
        this.terminal.resize(frame.data.cols, frame.data.rows);
        this.events.onSize?.(frame.data.cols, frame.data.rows);
        this.events.onLive?.(true);
        // Reset and picture in one piece: nothing is drawn in between, so nothing flickers.
        this.write(RESET + frame.data.text, frame.data.end);
        break;
      case "view.output":
        this.write(frame.data.text, frame.data.end);
        break;
      case "view.refused":
        this.events.onRefused?.(frame.data.message);
        break;
    }
  }

  private write(text: string, end: number): void {
    const channel = this.channel;
    this.terminal.write(text, () => channel?.send({ action: "ack", end }));
  }

  private ended(error?: Error): void {
    this.channel = undefined;
    this.events.onLive?.(false);
    if (this.disposed || error === undefined) return;
    if (!(error instanceof ConnectionLost)) {
      // Of a pane that is gone, and of a login that has ended, the page tells elsewhere.
      const { code } = error as LuvusError;
      if (code !== "not_found" && !FINAL.has(code)) this.events.onRefused?.(error.message);
      return;
    }
    const delay = Math.min(FIRST_DELAY_MS * 2 ** this.failures, LONGEST_DELAY_MS);
    this.failures += 1;
    this.retry = setTimeout(() => this.connect(), delay);
  }

  private accelerate(): void {
    try {
      const webgl = new WebglAddon();
      // The browser takes contexts away when there are many; the other renderer is always there.
      webgl.onContextLoss(() => webgl.dispose());
      this.terminal.loadAddon(webgl);
    } catch {
      // No WebGL here: the terminal is drawn by the DOM.
    }
  }

  private key(event: KeyboardEvent): boolean {
    if (event.type !== "keydown") return true;
    if (isLeave(event)) {
      event.preventDefault();
      event.stopPropagation();
      this.events.onLeave?.();
      return false;
    }
    const copies = event.ctrlKey && event.shiftKey && event.code === "KeyC";
    if (copies && this.terminal.hasSelection()) {
      event.preventDefault();
      void this.copy();
      return false;
    }
    // The browser turns it into a paste, which is sent as one.
    return !(event.ctrlKey && event.shiftKey && event.code === "KeyV");
  }

  private readonly onPaste = (event: ClipboardEvent): void => {
    event.preventDefault();
    event.stopPropagation();
    this.paste(event.clipboardData?.getData("text/plain") ?? "");
  };

  private withControl(data: string): string {
    this.hold(false);
    return controlled(data);
  }

  private offer(data: string): boolean {
    const text = offered(data);
    if (text !== undefined) this.events.onOffer?.(text);
    return true;
  }

  private visit(uri: string): void {
    if (mayOpen(uri)) window.open(uri, "_blank", "noopener,noreferrer");
    else this.events.onRefused?.(`A link to ${uri} is not opened from here.`);
  }

  private point(uri: string): void {
    if (this.terminal.element !== undefined) this.terminal.element.title = uri;
  }
}

// The addon wants colours of the ruler, which is not shown.
const MARKS = {
  matchBackground: "#8a5a00",
  matchOverviewRuler: "#8a5a00",
  activeMatchBackground: "#1d55b8",
  activeMatchColorOverviewRuler: "#1d55b8",
};

interface Core {
  _renderService?: { dimensions?: { css?: { cell?: { width: number; height: number } } } };
}
