/** The transport of a program: newline JSON over the server's own socket. Node only. */

import { connect, type Socket } from "node:net";

import { ConnectionLost, LuvusError, problemOf } from "./errors.js";
import {
  type Channel,
  type ChannelEvents,
  Opening,
  type Transport,
} from "./transport.js";

/** The largest frame of the protocol, with its line end. */
export const FRAME_BYTES = 1_048_576;

interface Answer {
  id?: string;
  result?: unknown;
  error?: unknown;
}

export class SocketTransport implements Transport {
  /** `auth` is a delegated token; without one the account itself calls. */
  constructor(
    private readonly path: string,
    private readonly auth?: string,
  ) {}

  call(method: string, params: object, signal?: AbortSignal): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const done = (act: () => void): void => {
        signal?.removeEventListener("abort", abort);
        socket.destroy();
        act();
      };
      const abort = (): void => done(() => reject(signal?.reason as Error));
      const socket = this.request(
        method,
        params,
        (answer) =>
          done(() => {
            if (answer.error === undefined) resolve(answer.result);
            else reject(refusal(answer.error));
          }),
        (error) =>
          done(() => reject(error ?? new ConnectionLost("the server hung up"))),
      );
      signal?.addEventListener("abort", abort);
      if (signal?.aborted) abort();
    });
  }

  open(method: string, params: object, events: ChannelEvents): Channel {
    const opening = new Opening(events, refusal);
    const socket = this.request(
      method,
      params,
      (answer) => opening.message(answer),
      (error) => opening.end(error),
    );
    return {
      send: (line) => {
        socket.write(`${JSON.stringify(line)}\n`);
      },
      close: () => {
        opening.forget();
        socket.destroy();
      },
    };
  }

  private request(
    method: string,
    params: object,
    onLine: (answer: Answer) => void,
    onEnd: (error?: Error) => void,
  ): Socket {
    const socket = connect(this.path);
    const lines = new Lines();
    const auth = this.auth === undefined ? {} : { auth: this.auth };
    socket.on("connect", () => {
      socket.write(`${JSON.stringify({ id: "1", method, params, ...auth })}\n`);
    });
    socket.on("data", (piece: Buffer) => {
      try {
        for (const line of lines.take(piece))
          onLine(JSON.parse(line) as Answer);
      } catch (error) {
        socket.destroy(error as Error);
      }
    });
    socket.on("error", (error) => {
      onEnd(
        new ConnectionLost(`the server cannot be reached: ${error.message}`, {
          cause: error,
        }),
      );
    });
    socket.on("close", () => onEnd());
    return socket;
  }
}

/** Cuts a stream of bytes into lines, of at most one frame each. */
export class Lines {
  private rest: Buffer[] = [];
  private size = 0;

  /** Return the lines that are complete now, without their line ends. */
  take(piece: Buffer): string[] {
    const found: string[] = [];
    let start = 0;
    for (
      let end = piece.indexOf(10);
      end >= 0;
      end = piece.indexOf(10, start)
    ) {
      found.push(
        Buffer.concat([...this.rest, piece.subarray(start, end)]).toString(),
      );
      this.rest = [];
      this.size = 0;
      start = end + 1;
    }
    if (start < piece.length) {
      this.rest.push(piece.subarray(start));
      this.size += piece.length - start;
      if (this.size > FRAME_BYTES) {
        throw new ConnectionLost(
          `the server sent a line of more than ${FRAME_BYTES} bytes`,
        );
      }
    }
    return found;
  }
}

function refusal(error: unknown): LuvusError {
  return new LuvusError(problemOf(error, "the request was refused"));
}
