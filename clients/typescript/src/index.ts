/** A typed client of the Luvus server, for pages and programs. */

export { Client, type SessionEvent, type StreamEvents } from "./client.js";
export { ConnectionLost, LuvusError, type Problem } from "./errors.js";
export {
  Feed,
  type FeedEvents,
  type FeedState,
  FINAL,
  FIRST_DELAY_MS,
  LONGEST_DELAY_MS,
  type Timer,
} from "./feed.js";
export type { Calls, Events, Streams } from "./generated/protocol.js";
export type * from "./generated/types.js";
export type * as luxe from "./generated/luxe_types.js";
export type {
  Actions as LuxeActions,
  Events as LuxeEvents,
  Row as LuxeRow,
  Selectable as LuxeModel,
  Shown as LuxeShown,
  Stored as LuxeStored,
  Wish as LuxeWish,
} from "./generated/luxe.js";
export {
  type FrameEvents,
  Luxe,
  type LuxeEvent,
  LuxeFeed,
  type LuxeFeedState,
  type LuxeTransport,
} from "./luxe.js";
export type { Channel, ChannelEvents, Transport } from "./transport.js";
export { hangUp, LOGGED_OUT, WebLuxeTransport, WebTransport } from "./web.js";
