/** Calls and streams by name, typed by the protocol. */

import type { Calls, Events, Streams } from "./generated/protocol.js";
import type { Channel, Transport } from "./transport.js";

/** Nothing has to be given when every parameter is optional. */
type Arguments<P> =
  Record<never, never> extends P
    ? [params?: P, signal?: AbortSignal]
    : [P, AbortSignal?];

/** One event of the session. */
export type SessionEvent = {
  [N in keyof Events]: { event: N; sequence: number; data: Events[N] };
}[keyof Events];

/** What a stream tells its owner. */
export interface StreamEvents<N extends keyof Streams> {
  acknowledged?(result: Streams[N]["result"]): void;
  frame(frame: Streams[N]["frame"]): void;
  ended(error?: Error): void;
}

export class Client {
  constructor(readonly transport: Transport) {}

  /** Call a method; throws `LuvusError` when it is refused. */
  async call<N extends keyof Calls>(
    method: N,
    ...[params, signal]: Arguments<Calls[N]["params"]>
  ): Promise<Calls[N]["result"]> {
    return (await this.transport.call(
      method,
      params ?? {},
      signal,
    )) as Calls[N]["result"];
  }

  /** Open a stream. */
  open<N extends keyof Streams>(
    method: N,
    params: Streams[N]["params"],
    events: StreamEvents<N>,
  ): Channel {
    return this.transport.open(method, params, {
      acknowledged: (result) =>
        events.acknowledged?.(result as Streams[N]["result"]),
      frame: (frame) => events.frame(frame as Streams[N]["frame"]),
      ended: (error) => events.ended(error),
    });
  }
}
