/** The session and the clock as Preact sees them. */

import { createContext } from "preact";
import { useContext, useEffect, useReducer, useRef, useState } from "preact/hooks";

import type { Changing } from "./changes.js";
import type { Route } from "./route.js";
import type { Session } from "./session.js";

/** Who is logged in, as the server says. */
export interface About {
  browser: string;
  read_only: boolean;
  session: string;
  version: string;
}

export interface Page {
  session: Session;
  about: About;
  route: Route;
  go(route: Route): void;
  /** Show a toast; with a pane it leads there. */
  say(text: string, pane?: string): void;
}

export const PageContext = createContext<Page | undefined>(undefined);

/** The page around this component. */
export function usePage(): Page {
  const page = useContext(PageContext);
  if (page === undefined) throw new Error("a view stands outside of the page");
  return page;
}

/** The session; the component is drawn again whenever it changes. */
export function useSession(): Session {
  const { session } = usePage();
  useChanges(session);
  return session;
}

/** Draw the component again whenever something has changed. */
export function useChanges(of: Changing): void {
  const [, redraw] = useReducer((n: number, _: undefined) => n + 1, 0);
  const drawn = of.version;
  useEffect(() => {
    const stop = of.subscribe(() => redraw(undefined));
    // What changed between the drawing and now was told to nobody here.
    if (of.version !== drawn) redraw(undefined);
    return stop;
  }, [of]);
}

/** The time, every `period` milliseconds while the page is visible. */
export function useNow(period = 1_000): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) setNow(Date.now());
    }, period);
    return () => clearInterval(timer);
  }, [period]);
  return now;
}

/** The present minute since 1970. */
export function useMinute(): number {
  useNow(10_000);
  // Not the minute of the last tick: what was used after it would be of no minute that is drawn.
  return Math.floor(Date.now() / 60_000);
}

const tickers = new Set<() => void>();
let clock: ReturnType<typeof setInterval> | undefined;

/** A text that follows from the time; drawn again only when it is another one. */
export function useTicking(text: (now: number) => string): string {
  const latest = useRef(text);
  latest.current = text;
  const [, redraw] = useReducer((_: string, said: string) => said, "");
  useEffect(() => {
    // One timer for the page, however many times it shows.
    const tick = () => redraw(latest.current(Date.now()));
    tickers.add(tick);
    clock ??= setInterval(() => {
      if (!document.hidden) for (const each of tickers) each();
    }, 1_000);
    return () => {
      tickers.delete(tick);
      if (tickers.size > 0) return;
      clearInterval(clock);
      clock = undefined;
    };
  }, []);
  return text(Date.now());
}
