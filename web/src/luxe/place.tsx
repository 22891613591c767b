/** Where sessions stand in the page; what they need is loaded when the first one is looked at. */

import type { LuxeRow } from "@luvus/client";
import { useEffect } from "preact/hooks";

import { usePage } from "../state/hooks.js";
import { later } from "../views/later.js";
import { isFree } from "../views/shortcut.js";
import { contribute } from "./contribute.js";
import { useLuxe } from "./hooks.js";

const View = later(async () => (await import("./view.js")).LuxeView);
const Start = later(async () => (await import("./start.js")).Start);

const Card = later(async () => (await import("./card.js")).Card);
/** What a session said last, and what it asks. */
export const LuxePeek = later(async () => (await import("./card.js")).Peek);
/** A line that says something to a session. */
export const LuxePrompt = later(async () => (await import("./card.js")).Prompt);

/** What a session asks, in the queue; single keys belong to the table beside it. */
export function LuxeCard({ row }: { row: LuxeRow }) {
  return <Card keyed={false} row={row} />;
}

/** The session of the address. */
export function LuxePlace() {
  const { about, route } = usePage();
  const store = useLuxe();
  if (route.session !== undefined) return <View id={route.session} key={route.session} />;
  return (
    <p class="empty">
      No session is chosen.{" "}
      {!about.read_only && (
        <button onClick={() => store.start(undefined)} type="button">
          start Luxe
        </button>
      )}
    </p>
  );
}

/** The dialog that starts a session, wherever the page is; `l` opens it. */
export function LuxeDialogs() {
  const { about, session } = usePage();
  const store = useLuxe();
  useEffect(() => contribute(store, session), [store, session]);
  useEffect(() => {
    if (about.read_only) return;
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== "l" || !isFree(event)) return;
      event.preventDefault();
      store.start(undefined);
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [about.read_only, store]);
  const { starting } = store;
  if (starting === undefined) return null;
  return <Start cwd={starting.cwd} onClose={() => store.started()} />;
}
