/** Starts the page: who is logged in, the session, the frame. */

import { Client, hangUp, Luxe, WebLuxeTransport, WebTransport } from "@luvus/client";
import { render } from "preact";

import { App } from "./app.js";
import { LuxeContext } from "./luxe/hooks.js";
import { LuxeStore } from "./luxe/store.js";
import type { About } from "./state/hooks.js";
import { Session } from "./state/session.js";
import "./style/page.css";
import "./style/frame.css";
import "./style/views.css";
import "./style/overview.css";
import "./luxe/ask.css";

/** Where the page is drawn; part of the page itself. */
const PAGE = document.getElementById("page") as HTMLElement;

// A browser may keep a page that was left, sockets and all: it would go on deciding the size of
// the terminals. Whoever comes back to it sees what is there then.
addEventListener("pagehide", hangUp);
addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});

async function start(): Promise<void> {
  const answer = await fetch("/session");
  if (answer.status === 401) {
    location.replace("/login");
    return;
  }
  if (!answer.ok) throw new Error(`the server answered with status ${answer.status}`);
  const about = (await answer.json()) as About;
  const session = new Session(new Client(new WebTransport()));
  const luxe = new LuxeStore(new Luxe(new WebLuxeTransport()));
  render(
    <LuxeContext.Provider value={luxe}>
      <App about={about} session={session} />
    </LuxeContext.Provider>,
    PAGE,
  );
}

function failed(error: Error): void {
  render(
    <p class="empty state-failed" role="alert">
      The page could not start: {error.message}.{" "}
      <button onClick={() => location.reload()} type="button">
        try again
      </button>
    </p>,
    PAGE,
  );
}

start().catch(failed);
