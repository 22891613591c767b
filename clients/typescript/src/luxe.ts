/** Agent sessions of the server: opened, watched, driven and closed; typed by their frames. */

import type {
  Actions,
  Events,
  Row,
  Selectable,
  Shown,
  Stored,
  Wish,
} from "./generated/luxe.js";
import { ConnectionLost, LuvusError } from "./errors.js";
import { FINAL, FIRST_DELAY_MS, LONGEST_DELAY_MS, REAL, type Timer } from "./feed.js";

/** One event of a session. */
export type LuxeEvent = {
  [K in keyof Events]: { kind: K; content: Events[K] };
}[keyof Events];

/** What the stream of the list sends: the whole of it, each time. */
export interface LuxeList {
  kind: "sessions";
  content: { sessions: readonly Row[] };
}

/** Nothing has to be given for an action without content. */
type Content<C> = undefined extends C
  ? []
  : null extends C
    ? [content?: C]
    : [content: C];

export interface FrameEvents {
  frame(frame: unknown): void;
  /** The end, once; `error` says why, if there was a reason beside an ordinary end. */
  ended(error?: Error): void;
}

/** How requests and frames reach a server; knows no action. */
export interface LuxeTransport {
  ask(
    verb: "GET" | "POST" | "DELETE",
    path: string,
    body?: unknown,
    signal?: AbortSignal,
  ): Promise<unknown>;
  frames(path: string, events: FrameEvents): { close(): void };
  /** Where a path below the prefix is read by whoever needs an address. */
  address(path: string): string;
}

const SESSIONS = "sessions";

export class Luxe {
  constructor(readonly transport: LuxeTransport) {}

  /** List the open sessions. */
  async sessions(signal?: AbortSignal): Promise<readonly Row[]> {
    const answer = await this.transport.ask("GET", SESSIONS, undefined, signal);
    return (answer as { sessions: readonly Row[] }).sessions;
  }

  /** Show a session and what waits for an answer. */
  async session(id: string, signal?: AbortSignal): Promise<Shown> {
    const answer = await this.transport.ask("GET", one(id), undefined, signal);
    return answer as Shown;
  }

  /** List the newest sessions of a folder that are on the disk. */
  async stored(cwd: string, signal?: AbortSignal): Promise<readonly Stored[]> {
    const path = `stored?cwd=${encodeURIComponent(cwd)}`;
    const answer = await this.transport.ask("GET", path, undefined, signal);
    return (answer as { sessions: readonly Stored[] }).sessions;
  }

  /** List the models that can be selected. */
  async models(signal?: AbortSignal): Promise<readonly Selectable[]> {
    const answer = await this.transport.ask("GET", "models", undefined, signal);
    return (answer as { models: readonly Selectable[] }).models;
  }

  /** Open a session and return its `ready`. */
  async open(wish: Partial<Wish>): Promise<Events["ready"]> {
    const ready = await this.transport.ask("POST", SESSIONS, wish);
    return (ready as { content: Events["ready"] }).content;
  }

  /** Do one action; throws `LuvusError` when it is refused. */
  async act<K extends keyof Actions>(
    id: string,
    kind: K,
    ...[content]: Content<Actions[K]>
  ): Promise<void> {
    try {
      await this.transport.ask("POST", `${one(id)}/${kind}`, content);
    } catch (error) {
      throw error instanceof LuvusError ? plain(error, kind) : error;
    }
  }

  /** Close a session, stopping its turn. */
  async close(id: string): Promise<void> {
    await this.transport.ask("DELETE", one(id));
  }

  /** The address of a picture of a transcript. */
  pictureOf(id: string, sha256: string): string {
    return this.transport.address(`${one(id)}/pictures/${encodeURIComponent(sha256)}`);
  }

  /** Follow the list of sessions. */
  followList(
    onList: (rows: readonly Row[]) => void,
    onState?: (state: LuxeFeedState, error?: Error) => void,
    timer?: Timer,
  ): LuxeFeed {
    const events = {
      onFrame: (frame: unknown) => onList((frame as LuxeList).content.sessions),
      ...(onState && { onState }),
    };
    // A list has no end of its own: the server stopped, and may be back soon.
    return new LuxeFeed(this.transport, SESSIONS, events, { ends: false }, timer);
  }

  /**
   * Follow a session; after a lost connection everything is said again from `ready` on, by the next
   * server too.
   */
  followSession(
    id: string,
    onEvent: (event: LuxeEvent) => void,
    onState?: (state: LuxeFeedState, error?: Error) => void,
    timer?: Timer,
  ): LuxeFeed {
    const events = {
      onFrame: (frame: unknown) => onEvent(frame as LuxeEvent),
      ...(onState && { onState }),
    };
    return new LuxeFeed(this.transport, one(id), events, { ends: true }, timer);
  }
}

export type LuxeFeedState = "connecting" | "live" | "lost" | "ended";

/** The refusal that says that a session is gone; a server that closes may be back soon. */
const OVER = "not_found";

/** Frames at a path, through lost connections, until `close` is called or they end for good. */
export class LuxeFeed {
  private channel: { close(): void } | undefined;
  private waiting: unknown;
  private failures = 0;
  private closed = false;
  private live = false;

  constructor(
    private readonly transport: LuxeTransport,
    private readonly path: string,
    private readonly events: {
      onFrame(frame: unknown): void;
      onState?(state: LuxeFeedState, error?: Error): void;
    },
    private readonly about: { ends: boolean },
    private readonly timer: Timer = REAL,
  ) {
    this.connect();
  }

  /** Try again now instead of at the end of the present delay. */
  hurry(): void {
    if (this.waiting === undefined) return;
    this.timer.clear(this.waiting);
    this.waiting = undefined;
    this.connect();
  }

  /** End the feed; nothing is reported afterwards. */
  close(): void {
    this.closed = true;
    this.channel?.close();
    if (this.waiting !== undefined) this.timer.clear(this.waiting);
  }

  private connect(): void {
    this.live = false;
    this.events.onState?.("connecting");
    this.channel = this.transport.frames(this.path, {
      frame: (frame) => this.frame(frame),
      ended: (error) => this.ended(error),
    });
  }

  private frame(frame: unknown): void {
    if (this.closed) return;
    if (!this.live) {
      this.live = true;
      this.failures = 0;
      this.events.onState?.("live");
    }
    this.events.onFrame(frame);
  }

  private ended(error?: Error): void {
    if (this.closed) return;
    this.channel = undefined;
    const final = error instanceof LuvusError && (FINAL.has(error.code) || error.code === OVER);
    if (final || (error === undefined && this.about.ends)) {
      this.closed = true;
      this.events.onState?.("ended", error);
      return;
    }
    this.events.onState?.("lost", error ?? new ConnectionLost("the stream ended"));
    const delay = Math.min(FIRST_DELAY_MS * 2 ** this.failures, LONGEST_DELAY_MS);
    this.failures += 1;
    this.waiting = this.timer.set(() => {
      this.waiting = undefined;
      this.connect();
    }, delay);
  }
}

function one(id: string): string {
  return `${SESSIONS}/${encodeURIComponent(id)}`;
}

/** A refusal without the name of what was asked: who asked knows it. */
function plain(refused: LuvusError, kind: string): LuvusError {
  const message = refused.message.replace(new RegExp(`^${kind}: `), "");
  return new LuvusError({ ...refused.problem, message });
}
