/** Keeps the page in the session's theme: asked for at the start and whenever the settings change. */

import { type SessionTheme, wear } from "../terminal/theme.js";
import type { Session } from "./session.js";

/** Follow the session's theme; returns what stops it. */
export function followTheme(session: Session): () => void {
  const leaving = new AbortController();
  const ask = async () => {
    try {
      const answer = await fetch("/session", { signal: leaving.signal });
      if (!answer.ok) return;
      const { theme } = (await answer.json()) as { theme?: SessionTheme | null };
      wear(theme ?? undefined);
    } catch {
      // The page says elsewhere that the server is lost; its colours stay.
    }
  };
  void ask();
  // Whoever has missed events may have missed this one.
  const names = ["config.changed", "events.resync_required"];
  const stops = names.map((name) => session.onEvent(name, () => void ask()));
  return () => {
    for (const stop of stops) stop();
    leaving.abort();
  };
}
