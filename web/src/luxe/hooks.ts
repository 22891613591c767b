/** The agent sessions as Preact sees them. */

import { createContext } from "preact";
import { useContext } from "preact/hooks";

import { useChanges } from "../state/hooks.js";
import type { LuxeStore } from "./store.js";

export const LuxeContext = createContext<LuxeStore | undefined>(undefined);

/** The list of sessions; the component is drawn again whenever it changes. */
export function useLuxe(): LuxeStore {
  const store = useContext(LuxeContext);
  if (store === undefined) throw new Error("a view stands outside of the page");
  useChanges(store);
  return store;
}
