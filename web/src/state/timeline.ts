/** What happened, as sentences, newest last; bounded, and with its gaps. */

import type { SessionEvent } from "@luvus/client";

/** Entries that are kept. */
export const ENTRIES = 1_000;
/** Minutes of output that are counted. */
export const MINUTES = 60;

export type Kind = "agents" | "panes" | "tabs" | "workspaces" | "other" | "gap";

export interface Entry {
  at: number;
  sequence: number | undefined;
  kind: Kind;
  text: string;
  pane: string | undefined;
}

const RESYNC: Record<string, string> = {
  gap: "Some events were missed.",
  server_restarted: "The server was started again; what happened meanwhile is not known.",
  resync_required: "More happened than is kept; the rest is not known.",
  subscriber_overflow: "More happened than this page could follow; some of it is not known.",
};

export class Timeline {
  entries: readonly Entry[] = [];
  /** Changed screens, by minute since 1970. */
  readonly output = new Map<number, number>();

  add(event: SessionEvent, now = Date.now()): void {
    const name: string = event.event;
    if (name === "terminal.output_ready") {
      this.count(now);
      return;
    }
    const entry = describe(name, event.data as object as Record<string, unknown>);
    if (entry !== undefined) this.push({ ...entry, at: now, sequence: event.sequence });
  }

  gap(reason: string, now = Date.now()): void {
    const text = RESYNC[reason] ?? "Some events were missed.";
    this.push({ at: now, sequence: undefined, kind: "gap", text, pane: undefined });
  }

  private push(entry: Entry): void {
    this.entries = [...this.entries.slice(-(ENTRIES - 1)), entry];
  }

  private count(now: number): void {
    const minute = Math.floor(now / 60_000);
    this.output.set(minute, (this.output.get(minute) ?? 0) + 1);
    for (const old of this.output.keys()) if (old <= minute - MINUTES) this.output.delete(old);
  }
}

type Described = Pick<Entry, "kind" | "text" | "pane">;

/** Return an event as a sentence; undefined for one that says what another says better. */
export function describe(name: string, data: Record<string, unknown>): Described | undefined {
  const pane = text(data["pane"] ?? data["pane_id"]);
  const tab = text(data["tab"]);
  const said = (kind: Kind, sentence: string): Described => ({ kind, text: sentence, pane });
  switch (name) {
    case "pane.created":
      return said("panes", `Pane ${pane} was opened.`);
    case "pane.closed":
      return { kind: "panes", text: `Pane ${pane} was closed.`, pane: undefined };
    case "pane.focused":
    case "terminal.created":
    case "terminal.moved":
    case "terminal.closed":
      return undefined;
    case "pane.renamed":
      return said("panes", `Pane ${pane} is called ${text(data["name"]) ?? "nothing"} now.`);
    case "pane.moved":
      return said("panes", `Pane ${pane} was moved.`);
    case "pane.agent_status_changed":
      return said("agents", `${text(data["agent"]) ?? "An agent"} is ${text(data["status"])}.`);
    case "terminal.exited":
      return said("panes", `The program of pane ${pane} ended${how(data["detail"])}.`);
    case "tab.created":
      return said("tabs", `Tab ${tab} was opened.`);
    case "tab.closed":
      return said("tabs", `Tab ${tab} was closed.`);
    case "workspace.created":
      return said("workspaces", `Workspace ${text(data["name"]) ?? ""} was opened.`);
    case "workspace.closed":
      return said("workspaces", "A workspace was closed.");
    default:
      return said(kindOf(name), `${name.replaceAll(".", " ").replaceAll("_", " ")}.`);
  }
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

function text(value: unknown): string | undefined {
  return value === undefined || value === null ? undefined : String(value);
}
