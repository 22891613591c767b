/** The transport of a page: `fetch` and `WebSocket` to the server that the page came from. */

import { ConnectionLost, LuvusError, problemOf } from "./errors.js";
import type { FrameEvents, LuxeTransport } from "./luxe.js";
import {
  type Channel,
  type ChannelEvents,
  Opening,
  type Transport,
} from "./transport.js";

const PREFIX = "/uhp/v1/";
const LUXE_PREFIX = "/luxe/v2/";
/** The code with which the server closes the sockets of a browser that was logged out. */
export const LOGGED_OUT = 4401;

/** Several frames may come in one message, a line each: what wakes a page is the message. */
const LINES = "luvus.lines";

const sockets = new Set<WebSocket>();

/** Close every socket of this page; whoever used one learns that it was lost. */
export function hangUp(): void {
  for (const socket of sockets) socket.close();
}

function dial(url: string, protocol?: string): WebSocket {
  const socket = new WebSocket(url, protocol);
  sockets.add(socket);
  socket.addEventListener("close", () => sockets.delete(socket));
  return socket;
}

export class WebTransport implements Transport {
  private readonly base: string;

  /** `base` is where the server is, such as `http://127.0.0.1:8717`; a page leaves it out. */
  constructor(base?: string) {
    this.base = base ?? location.origin;
  }

  call(method: string, params: object, signal?: AbortSignal): Promise<unknown> {
    return ask(`${this.base}${PREFIX}${method}`, "POST", params, signal);
  }

  open(method: string, params: object, events: ChannelEvents): Channel {
    const socket = dial(
      `${this.base.replace(/^http/, "ws")}${PREFIX}${method}`,
      LINES,
    );
    const opening = new Opening(
      events,
      (error) => new LuvusError(problemOf(error, "the stream was refused")),
    );
    socket.onopen = () => socket.send(JSON.stringify(params));
    socket.onmessage = (message) => {
      for (const line of (message.data as string).split("\n")) {
        opening.message(JSON.parse(line) as { result?: unknown });
      }
    };
    socket.onclose = (close) => opening.end(reason(close));
    return {
      send: (line) => {
        if (socket.readyState === WebSocket.OPEN)
          socket.send(JSON.stringify(line));
      },
      close: () => {
        opening.forget();
        socket.close();
      },
    };
  }
}

/** The transport of a page to the agent sessions of its server. */
export class WebLuxeTransport implements LuxeTransport {
  private readonly base: string;

  /** `base` is where the server is; a page leaves it out. */
  constructor(base?: string) {
    this.base = `${base ?? location.origin}${LUXE_PREFIX}`;
  }

  ask(
    verb: "GET" | "POST" | "DELETE",
    path: string,
    body?: unknown,
    signal?: AbortSignal,
  ): Promise<unknown> {
    return ask(`${this.base}${path}`, verb, body, signal);
  }

  address(path: string): string {
    return `${this.base}${path}`;
  }

  frames(path: string, events: FrameEvents): { close(): void } {
    const socket = dial(`${this.base.replace(/^http/, "ws")}${path}`);
    let over = false;
    const end = (error?: Error): void => {
      if (over) return;
      over = true;
      events.ended(error);
    };
    socket.onmessage = (message) => {
      const frame = JSON.parse(message.data as string) as { error?: unknown };
      if (over) return;
      if (frame.error === undefined) events.frame(frame);
      else end(new LuvusError(problemOf(frame.error, "the stream was refused")));
    };
    socket.onclose = (close) => end(reason(close));
    return {
      close: () => {
        over = true;
        socket.close();
      },
    };
  }
}

async function ask(
  url: string,
  verb: string,
  body: unknown,
  signal?: AbortSignal,
): Promise<unknown> {
  let answer: Response;
  try {
    answer = await fetch(url, {
      method: verb,
      // The header that no other site's page can send; see the server's guard.
      headers: { "content-type": "application/json", "x-luvus": "1" },
      body: body === undefined ? null : JSON.stringify(body),
      signal: signal ?? null,
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ConnectionLost("the server does not answer", { cause: error });
  }
  let found: unknown;
  try {
    found = await answer.json();
  } catch (error) {
    if (signal?.aborted) throw error;
    // Cut off in the middle, or something else than the server answered.
    if (answer.ok) {
      throw new ConnectionLost("the server's answer cannot be read", {
        cause: error,
      });
    }
  }
  if (!answer.ok) {
    throw new LuvusError(
      problemOf(found, `the server answered with status ${answer.status}`),
    );
  }
  return found;
}

function reason(close: CloseEvent): Error | undefined {
  if (close.code === 1000) return undefined;
  if (close.code === LOGGED_OUT) {
    return new LuvusError({
      code: "logged_out",
      message: "this browser was logged out",
    });
  }
  return new ConnectionLost(`the stream ended (${close.code})`);
}
