/** The agent sessions as Preact sees them. */

import { createContext } from "preact";
import { useContext, useEffect, useReducer } from "preact/hooks";

import type { LuxeStore } from "./store.js";

export const LuxeContext = createContext<LuxeStore | undefined>(undefined);

/** The list of sessions; the component is drawn again whenever it changes. */
export function useLuxe(): LuxeStore {
  const store = useContext(LuxeContext);
  if (store === undefined) throw new Error("a view stands outside of the page");
  useChanges(store);
  return store;
}

/** Draw the component again whenever something says that it has changed. */
export function useChanges(of: { subscribe(listener: () => void): () => void } | undefined): void {
  const [, redraw] = useReducer((n: number) => n + 1, 0);
  useEffect(() => of?.subscribe(() => redraw(undefined as never)), [of]);
}
