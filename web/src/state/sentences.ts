/** Events as sentences, with the names that people gave. Pure. */

import type { SessionEvent } from "@luvus/client";

export const KINDS = ["agents", "signals", "panes", "tabs", "workspaces", "other"] as const;
export type Kind = (typeof KINDS)[number] | "gap";

/** How things are called. */
export interface Naming {
  /** A pane by its alias, its agent, or its id. */
  pane(id: string): string;
  /** Whether a pane had an agent when it was last looked at. */
  isAgent(pane: string): boolean;
  /** The name of the workspace that a pane is or was in. */
  workspaceOf(pane: string): string | undefined;
  /** The name of a workspace by its position, from 0. */
  workspaceAt(index: number): string | undefined;
}

export interface Described {
  kind: Kind;
  text: string;
  pane: string | undefined;
  workspace: string | undefined;
}

type Data = Record<string, unknown>;

/** Events that another one says better. */
const SILENT = new Set([
  "events.resync_required",
  "mission.changed",
  "pane.focused",
  "pane.title_changed",
  "terminal.closed",
  "terminal.created",
  "terminal.metadata_changed",
  "terminal.moved",
  "terminal.output_ready",
]);

const STATES: Record<string, string> = {
  blocked: "needs you",
  working: "is working",
  done: "is done",
  idle: "is idle",
};

/** Return an event as a sentence; undefined for one that says what another says better. */
export function describe(event: SessionEvent, naming: Naming): Described | undefined {
  const name: string = event.event;
  if (SILENT.has(name)) return undefined;
  const data = event.data as object as Data;
  const pane = text(data["pane"] ?? data["pane_id"]);
  // A plain shell works and rests with every command.
  if (name === "pane.agent_status_changed" && !data["agent"] && !naming.isAgent(pane ?? "")) {
    return undefined;
  }
  const index = text(data["workspace"]);
  const at = index === undefined ? undefined : naming.workspaceAt(Number(index));
  const workspace = pane === undefined ? at : naming.workspaceOf(pane);
  const who = pane === undefined ? "" : naming.pane(pane);
  const [kind, sentence] = say(name, data, who, at) ?? [
    kindOf(name),
    `${sentenceCase(name)}${who && `: ${who}`}.`,
  ];
  return { kind, text: sentence, pane: name === "pane.closed" ? undefined : pane, workspace };
}

function say(
  name: string,
  data: Data,
  who: string,
  workspace: string | undefined,
): [Kind, string] | undefined {
  const tab = text(data["tab"]);
  switch (name) {
    case "pane.created":
      return ["panes", `${capital(who)} was opened.`];
    case "pane.closed":
      return ["panes", `${capital(who)} was closed.`];
    case "pane.renamed":
      return ["panes", `${capital(who)} is labelled ${text(data["name"]) ?? "nothing"} now.`];
    case "pane.moved":
      return ["panes", `${capital(who)} was moved.`];
    case "pane.bell":
      return ["signals", `${capital(who)} rang the bell${times(data["count"])}.`];
    case "pane.notified":
      return ["signals", `${capital(who)}: ${words(data)}`];
    case "pane.agent_status_changed":
      return ["agents", status(data, who)];
    case "agent.hook":
      return ["agents", `${capital(who)}: ${text(data["message"]) || text(data["kind"])}`];
    case "terminal.exited":
      return ["panes", `The program of ${who} ended${how(data["detail"])}.`];
    case "tab.created":
      return ["tabs", `Tab ${tab} was opened.`];
    case "tab.closed":
      return ["tabs", `Tab ${tab} was closed.`];
    case "workspace.created":
      return ["workspaces", `Workspace ${workspace ?? ""} was opened.`.replace("  ", " ")];
    case "workspace.closed":
      return ["workspaces", "A workspace was closed."];
    default:
      return undefined;
  }
}

function status(data: Data, who: string): string {
  const agent = text(data["agent"]);
  if (!agent) return `${capital(who)} has no agent any more.`;
  const state = text(data["status"]) ?? "";
  return `${capital(who)} ${STATES[state] ?? `is ${state}`}.`;
}

/** What a notification says, and how many more there were. */
export function words(data: Data): string {
  const said = [text(data["title"]), text(data["body"])].filter(Boolean).join(": ");
  const dropped = Number(data["dropped"] ?? 0);
  return `${said || "(nothing)"}${dropped > 0 ? ` (and ${dropped} more)` : ""}`;
}

function times(count: unknown): string {
  return typeof count === "number" && count > 1 ? ` ${count} times` : "";
}

function how(detail: unknown): string {
  const { exit_code: code, signal } = (detail ?? {}) as { exit_code?: number; signal?: string };
  if (signal) return ` by ${signal}`;
  return code === undefined || code === null ? "" : ` with code ${code}`;
}

function kindOf(name: string): Kind {
  const family = name.split(".")[0] ?? "";
  if (family === "agent") return "agents";
  if (family === "pane" || family === "layout" || family === "terminal") return "panes";
  if (family === "tab") return "tabs";
  return family === "workspace" ? "workspaces" : "other";
}

function sentenceCase(name: string): string {
  return capital(name.replaceAll(/[._]/g, " "));
}

function capital(name: string): string {
  // A name is written as its owner writes it.
  return /^(?:pane|shell) /.test(name) || name.includes(" ") ? upper(name) : name;
}

function upper(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function text(value: unknown): string | undefined {
  return value === undefined || value === null ? undefined : String(value);
}
