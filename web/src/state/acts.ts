/** What a person does to a pane, as calls of the protocol. */

import { LuvusError } from "@luvus/client";

import type { PaneInfo, Session } from "./session.js";

const KEYS = new Set(["enter", "escape", "tab", "up", "down", "left", "right"]);

/**
 * Press one key, given by its name or as one character. With `revision` an agent gets it only if
 * its screen is still the one that was answered.
 */
export async function press(
  session: Session,
  pane: PaneInfo,
  key: string,
  revision?: number,
): Promise<void> {
  if (pane.agent !== undefined) {
    await session.client.call("agent.keys", {
      target: pane.id,
      keys: [key === "escape" ? "esc" : key],
      terminal_id: pane.terminal ?? null,
      if_content_revision: revision ?? null,
    });
    return;
  }
  const locator = locatorOf(session, pane);
  if (KEYS.has(key)) {
    await session.client.call("terminal.backend.send_key", { ...locator, key } as never);
  } else {
    await session.client.call("terminal.backend.type_literal", { ...locator, text: key });
  }
}

/** Paste a prompt and press Enter, as one action. */
export async function prompt(session: Session, pane: PaneInfo, text: string): Promise<void> {
  if (pane.agent !== undefined) {
    const terminal_id = pane.terminal ?? null;
    await session.client.call("agent.prompt", { target: pane.id, text, terminal_id });
    return;
  }
  await session.client.call("terminal.backend.submit_text", {
    ...locatorOf(session, pane),
    text,
  });
}

// Names process, terminal and pane: what was meant for one terminal never reaches another that
// has taken its place meanwhile.
export function locatorOf(session: Session, pane: PaneInfo) {
  const generation = session.snapshot?.server_generation;
  if (generation === undefined || pane.terminal === undefined) {
    throw new LuvusError({ code: "not_found", message: "The pane has no terminal any more." });
  }
  return { server_generation: generation, terminal_id: pane.terminal, pane_id: pane.id };
}
