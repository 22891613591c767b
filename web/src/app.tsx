/** The frame around the three places, and the keys that work everywhere. */

import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";

import { age } from "./state/format.js";
import { type About, type Page, PageContext, useNow, useSession } from "./state/hooks.js";
import { waiting } from "./state/order.js";
import { watch } from "./state/notices.js";
import { address, parse, type Place, type Route } from "./state/route.js";
import type { Session } from "./state/session.js";
import { followTheme } from "./state/worn.js";
import { LuxeDialogs, LuxePlace } from "./luxe/place.js";
import { isLeave } from "./terminal/chord.js";
import { Activity } from "./views/activity.js";
import { Attention } from "./views/attention.js";
import { Bell, BellList } from "./views/bell.js";
import { Help } from "./views/help.js";
import { Overview } from "./views/overview.js";
import { Rail } from "./views/rail.js";
import { later } from "./views/later.js";
import { Palette } from "./views/palette.js";
import { inTerminal, isFree } from "./views/shortcut.js";
import { type ToastInfo, Toasts, TOASTS } from "./views/toasts.js";

const PLACES: readonly [Place, string][] = [
  ["overview", "Overview"],
  ["terminals", "Terminals"],
  ["activity", "Activity"],
];
// The first page does without: the terminal alone is most of what is loaded.
const Terminals = later(async () => (await import("./views/terminals.js")).Terminals);

type Over = "palette" | "help" | "rings" | undefined;

/** How long the second key of `g o` may take. */
const CHORD_MS = 1_000;

export function App({ session, about }: { session: Session; about: About }) {
  const [route, setRoute] = useState<Route>(() => parse(location.pathname));
  const [over, setOver] = useState<Over>();
  const [toasts, setToasts] = useState<readonly ToastInfo[]>([]);
  const last = useRef(0);
  // A dialog tells of its end late: by then another one may be open, which stays.
  const help = useCallback(() => setOver("help"), []);
  const shut = (which: Over) => setOver((now) => (now === which ? undefined : now));

  const go = useCallback((to: Route) => {
    if (address(to) !== location.pathname) history.pushState(null, "", address(to));
    setRoute(to);
  }, []);
  const say = useCallback((text: string, pane?: string) => {
    const id = ++last.current;
    setToasts((shown) => [...shown.slice(-(TOASTS - 1)), { id, text, pane }]);
  }, []);
  useEffect(() => {
    const back = () => setRoute(parse(location.pathname));
    addEventListener("popstate", back);
    return () => removeEventListener("popstate", back);
  }, []);
  useEffect(
    () => watch(session, (pane) => go({ place: "terminals", pane }), say),
    [session, go, say],
  );
  useEffect(() => followTheme(session), [session]);
  useKeys(go, setOver);

  const page = useMemo<Page>(
    () => ({ session, about, route, go, say }),
    [session, about, route, go, say],
  );
  return (
    <PageContext.Provider value={page}>
      <Frame
        onFind={() => setOver("palette")}
        onHelp={help}
        onRings={() => setOver("rings")}
        route={route}
      />
      {over === "palette" && <Palette onClose={() => shut("palette")} onHelp={help} />}
      {over === "help" && <Help onClose={() => shut("help")} />}
      {over === "rings" && <BellList onClose={() => shut("rings")} />}
      <LuxeDialogs />
      <Toasts
        onGone={(id) => setToasts((shown) => shown.filter((one) => one.id !== id))}
        toasts={toasts}
      />
    </PageContext.Provider>
  );
}

interface FrameProps {
  route: Route;
  onFind(): void;
  onHelp(): void;
  onRings(): void;
}

function Frame({ route, onFind, onHelp, onRings }: FrameProps) {
  const session = useSession();
  const needed = waiting(session.rows).length;
  useEffect(() => {
    const look = () => {
      session.rings.looking = document.hasFocus() ? route.pane : undefined;
    };
    look();
    for (const name of ["focus", "blur"]) addEventListener(name, look);
    return () => {
      for (const name of ["focus", "blur"]) removeEventListener(name, look);
    };
  }, [session, route.pane]);
  useEffect(() => {
    document.title = needed > 0 ? `(${needed}) Luvus` : "Luvus";
  }, [needed]);
  const lost = session.connection.state === "lost" || session.connection.state === "ended";
  // Terminals have the whole width; who needs somebody is still seen in the title and the rail.
  const alone = route.place === "terminals" || route.place === "luxe";
  return (
    <div class={`frame at-${route.place}${alone ? " alone" : ""}${lost ? " lost" : ""}`}>
      <Rail onFind={onFind} />
      <Head onFind={onFind} onHelp={onHelp} onRings={onRings} route={route} />
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

function Head({ route, onFind, onHelp, onRings }: FrameProps) {
  return (
    <header class="head">
      <h1 class="unseen">Mission Control</h1>
      <nav aria-label="Places">
        {PLACES.map(([place, name]) => (
          <PlaceLink current={route.place === place} key={place} name={name} place={place} />
        ))}
      </nav>
      <span class="link">
        <button aria-label="Find" class="plain narrow" onClick={onFind} title="Find" type="button">
          <svg aria-hidden="true" fill="none" height="14" stroke="currentColor" viewBox="0 0 16 16">
            <path d="M11 6.5a4.5 4.5 0 1 1-9 0a4.5 4.5 0 0 1 9 0zM10 10l4.5 4.5" />
          </svg>
        </button>
        <Bell onOpen={onRings} />
        <button aria-label="Keys" class="plain keys" onClick={onHelp} title="Keys" type="button">
          <kbd>?</kbd>
        </button>{" "}
        <Link />
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

/** How the page is connected: live, or for how long it is not. */
function Link() {
  const session = useSession();
  const now = useNow();
  const { state, since, error } = session.connection;
  if (state === "live" && session.problem !== undefined) {
    return (
      <span class="state-failed" role="status">
        ✕ the session cannot be read{" "}
        <button onClick={() => session.hurry()} title={session.problem.message} type="button">
          read again
        </button>
      </span>
    );
  }
  if (state === "live") {
    return (
      <span class="quiet" role="status">
        <span class="state-done">●</span> <span class="word">live</span>
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
      ▲ {state === "lost" ? "no connection" : "connecting"}
      {/* A screen reader says that it is lost, not every second of it. */}
      {state === "lost" && <span aria-hidden="true"> for {age(since, now)}</span>}{" "}
      <button onClick={() => session.hurry()} type="button">
        try now
      </button>
    </span>
  );
}

function useKeys(go: Page["go"], setOver: (over: Over) => void) {
  const began = useRef(0);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const finds = (event.ctrlKey || event.metaKey) && event.key === "k" && !inTerminal(event);
      if (finds || isLeave(event)) {
        event.preventDefault();
        setOver("palette");
        return;
      }
      if (!isFree(event)) return;
      if (event.key === "?") setOver("help");
      if (event.key === "b") setOver("rings");
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
