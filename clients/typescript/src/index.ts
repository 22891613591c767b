/** A typed client of the Luvus server, for pages and programs. */

export { Client, type SessionEvent, type StreamEvents } from "./client.js";
export { ConnectionLost, LuvusError, type Problem } from "./errors.js";
export { Feed, type FeedEvents, type FeedState, type Timer } from "./feed.js";
export type { Calls, Events, Streams } from "./generated/protocol.js";
export type * from "./generated/types.js";
export type { Channel, ChannelEvents, Transport } from "./transport.js";
export { LOGGED_OUT, WebTransport } from "./web.js";
