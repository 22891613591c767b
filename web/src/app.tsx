/** The frame around the three places, and the keys that work everywhere. */

import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";

import { age } from "./state/format.js";
import { type About, type Page, PageContext, useNow, useSession } from "./state/hooks.js";
import { waiting } from "./state/order.js";
import { mayAsk, watch } from "./state/notices.js";
import { address, parse, type Place, type Route } from "./state/route.js";
import type { Session } from "./state/session.js";
import { followTheme } from "./state/worn.js";
import { LuxeDialogs, LuxePlace } from "./luxe/place.js";
import { isLeave } from "./terminal/chord.js";
import { Activity } from "./views/activity.js";
import { Attention } from "./views/attention.js";
import { Help } from "./views/help.js";
import { isTyping, Overview } from "./views/overview.js";
import { Rail } from "./views/rail.js";
import { later } from "./views/later.js";

const PLACES: readonly [Place, string][] = [
  ["overview", "Overview"],
  ["terminals", "Terminals"],
  ["activity", "Activity"],
];
// The first page needs neither: the terminal alone is most of what is loaded.
const Terminals = later(async () => (await import("./views/terminals.js")).Terminals);
const Palette = later(async () => (await import("./views/palette.js")).Palette);

const TOAST_MS = 6_000;
const TOASTS = 4;
/** How long the second key of `g o` may take. */
const CHORD_MS = 1_000;

export function App({ session, about }: { session: Session; about: About }) {
  const [route, setRoute] = useState<Route>(() => parse(location.pathname));
  const [over, setOver] = useState<"palette" | "help">();
  const [toasts, setToasts] = useState<readonly { id: number; text: string }[]>([]);
  const last = useRef(0);

  const go = useCallback((to: Route) => {
    if (address(to) !== location.pathname) history.pushState(null, "", address(to));
    setRoute(to);
  }, []);
  const say = useCallback((text: string) => {
    const id = ++last.current;
    setToasts((shown) => [...shown.slice(-(TOASTS - 1)), { id, text }]);
    setTimeout(() => setToasts((shown) => shown.filter((one) => one.id !== id)), TOAST_MS);
  }, []);
  useEffect(() => {
    const back = () => setRoute(parse(location.pathname));
    addEventListener("popstate", back);
    return () => removeEventListener("popstate", back);
  }, []);
  useEffect(() => watch(session, (pane) => go({ place: "terminals", pane })), [session, go]);
  useEffect(() => followTheme(session), [session]);
  useKeys(go, setOver);

  const page = useMemo<Page>(
    () => ({ session, about, route, go, say }),
    [session, about, route, go, say],
  );
  return (
    <PageContext.Provider value={page}>
      <Frame onFind={() => setOver("palette")} route={route} />
      {over === "palette" && <Palette onClose={() => setOver(undefined)} />}
      <LuxeDialogs />
      {over === "help" && <Help onClose={() => setOver(undefined)} />}
      <ol aria-live="polite" class="toasts">
        {toasts.map((toast) => (
          <li key={toast.id}>{toast.text}</li>
        ))}
      </ol>
    </PageContext.Provider>
  );
}

function Frame({ route, onFind }: { route: Route; onFind(): void }) {
  const session = useSession();
  const needed = waiting(session.panes).length;
  useEffect(() => {
    document.title = needed > 0 ? `(${needed}) Luvus` : "Luvus";
  }, [needed]);
  const lost = session.connection.state === "lost" || session.connection.state === "ended";
  // Terminals have the whole width; who needs somebody is still seen in the title and the rail.
  const alone = route.place === "terminals" || route.place === "luxe";
  return (
    <div class={`frame${alone ? " alone" : ""}${lost ? " lost" : ""}`}>
      <Rail onFind={onFind} />
      <Head route={route} />
      <main>
        {route.place === "overview" && <Overview />}
        {route.place === "terminals" && <Terminals onLeave={onFind} />}
        {route.place === "activity" && <Activity />}
        {route.place === "luxe" && <LuxePlace />}
      </main>
      {!alone && <Attention />}
    </div>
  );
}

function Head({ route }: { route: Route }) {
  return (
    <header class="head">
      <h1 class="unseen">Mission Control</h1>
      <nav aria-label="Places">
        {PLACES.map(([place, name]) => (
          <PlaceLink current={route.place === place} key={place} name={name} place={place} />
        ))}
      </nav>
      <span class="link">
        <Bell /> <Link />
      </span>
    </header>
  );
}

function PlaceLink({ place, name, current }: { place: Place; name: string; current: boolean }) {
  const to: Route = { place, pane: undefined };
  return (
    <PageContext.Consumer>
      {(page) => (
        <a
          aria-current={current ? "page" : undefined}
          href={address(to)}
          onClick={(event: MouseEvent) => {
            if (event.ctrlKey || event.metaKey || event.shiftKey) return;
            event.preventDefault();
            page?.go(to);
          }}
        >
          {name}
        </a>
      )}
    </PageContext.Consumer>
  );
}

/** Asks once whether the browser may say that somebody is needed. */
function Bell() {
  const [asks, setAsks] = useState(mayAsk);
  if (!asks) return null;
  return (
    <button
      aria-label="Notify me when an agent needs me"
      class="plain"
      onClick={() => void Notification.requestPermission().then(() => setAsks(mayAsk()))}
      title="Notify me when an agent needs me"
      type="button"
    >
      <svg aria-hidden="true" fill="none" height="14" stroke="currentColor" viewBox="0 0 16 16">
        <path d="M3 12h10l-1.2-2V7a3.8 3.8 0 0 0-7.6 0v3zM6.5 14h3M8 1.5v1.7" />
      </svg>
    </button>
  );
}

/** How the page is connected: live, or for how long it is not. */
function Link() {
  const session = useSession();
  const now = useNow();
  const { state, since, error } = session.connection;
  if (state === "live") {
    return (
      <span class="quiet" role="status">
        <span class="state-done">●</span> live
      </span>
    );
  }
  if (state === "ended") {
    return (
      <span class="state-failed" role="status">
        {error?.message ?? "The connection has ended."} <a href="/login">log in</a>
      </span>
    );
  }
  return (
    <span class="state-blocked" role="status">
      ▲ {state === "lost" ? `no connection for ${age(since, now)}` : "connecting"}{" "}
      <button onClick={() => session.hurry()} type="button">
        try now
      </button>
    </span>
  );
}

function useKeys(go: Page["go"], setOver: (over: "palette" | "help" | undefined) => void) {
  const began = useRef(0);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const inTerminal = (event.target as HTMLElement | null)?.closest(".xterm") !== null;
      const finds = (event.ctrlKey || event.metaKey) && event.key === "k" && !inTerminal;
      if (finds || isLeave(event)) {
        event.preventDefault();
        setOver("palette");
        return;
      }
      if (inTerminal || isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === "?") setOver("help");
      if (event.timeStamp - began.current < CHORD_MS) {
        const place = { o: "overview", t: "terminals", a: "activity" }[event.key];
        if (place !== undefined) go({ place: place as Place, pane: undefined });
      }
      began.current = event.key === "g" ? event.timeStamp : 0;
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [go, setOver]);
}
