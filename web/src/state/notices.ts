/** Tells a person who looks elsewhere what rang; outside of the page only with permission. */

import type { Ring } from "./rings.js";
import type { Session } from "./session.js";

const SAID: Record<Ring["kind"], (ring: Ring) => [title: string, body: string]> = {
  blocked: (ring) => [`${ring.who} needs you`, ring.where],
  failed: (ring) => [`${ring.who} failed`, `${ring.text} · ${ring.where}`],
  bell: (ring) => [`${ring.who} rang the bell`, ring.where],
  notice: (ring) => [ring.who, ring.text],
};

/** Whether the browser can notify and has not been asked yet. */
export function mayAsk(): boolean {
  return "Notification" in globalThis && Notification.permission === "default";
}

/**
 * Notify of what rings while the page is hidden, and say it in the page while it is seen; bells
 * only ring in the list. Returns what stops it.
 */
export function watch(
  session: Session,
  open: (pane: string) => void,
  say: (text: string, pane?: string) => void,
): () => void {
  return session.rings.onRing((ring) => {
    const [title, body] = SAID[ring.kind](ring);
    if (document.hidden) notify(ring, title, body, open);
    else if (ring.kind === "notice" || (ring.kind !== "bell" && !queueIsSeen())) {
      say(body ? `${title}: ${body}` : title, ring.pane);
    }
  });
}

/** Who waits is not said twice. */
function queueIsSeen(): boolean {
  return document.querySelector(".attention")?.checkVisibility() ?? false;
}

function notify(ring: Ring, title: string, body: string, open: (pane: string) => void): void {
  if (!("Notification" in globalThis) || Notification.permission !== "granted") return;
  // The same tag: what rings twice is said once.
  const tag = `${ring.kind}-${ring.pane ?? ring.id}`;
  try {
    const notice = new Notification(title, { body, tag });
    notice.onclick = () => {
      focus();
      if (ring.pane !== undefined) open(ring.pane);
      notice.close();
    };
  } catch {
    // A phone's browser lets no page do this without a worker of its own; the title still counts.
  }
}
