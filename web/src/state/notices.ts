/** Tells a person who looks elsewhere that an agent needs them; only with permission. */

import type { PaneInfo, Session } from "./session.js";
import { waiting } from "./order.js";

/** Whether the browser can notify and has not been asked yet. */
export function mayAsk(): boolean {
  return "Notification" in globalThis && Notification.permission === "default";
}

/** Notify of every pane that begins to wait while the page is hidden; returns what stops it. */
export function watch(session: Session, open: (pane: string) => void): () => void {
  let known = new Set(waiting(session.panes).map((pane) => pane.id));
  return session.subscribe(() => {
    const now = waiting(session.panes);
    const fresh = now.filter((pane) => !known.has(pane.id));
    known = new Set(now.map((pane) => pane.id));
    if (document.hidden) for (const pane of fresh) notify(pane, open);
  });
}

function notify(pane: PaneInfo, open: (pane: string) => void): void {
  if (!("Notification" in globalThis) || Notification.permission !== "granted") return;
  const who = pane.name ?? pane.agent ?? `pane ${pane.id}`;
  // The same tag: a pane that waits twice is said once.
  const notice = new Notification(`${who} needs you`, {
    body: pane.workspaceName,
    tag: `pane-${pane.id}`,
  });
  notice.onclick = () => {
    focus();
    open(pane.id);
    notice.close();
  };
}
