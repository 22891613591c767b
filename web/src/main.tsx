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

// A browser may keep a page that was left, sockets and all: it would go on deciding the size of
// the terminals. Whoever comes back to it sees what is there then.
addEventListener("pagehide", hangUp);
addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});

async function start(): Promise<void> {
  const answer = await fetch("/session");
  if (!answer.ok) {
    location.replace("/login");
    return;
  }
  const about = (await answer.json()) as About;
  const session = new Session(new Client(new WebTransport()));
  const page = document.getElementById("page");
  if (page === null) return;
  const luxe = new LuxeStore(new Luxe(new WebLuxeTransport()));
  render(
    <LuxeContext.Provider value={luxe}>
      <App about={about} session={session} />
    </LuxeContext.Provider>,
    page,
  );
}

void start();
