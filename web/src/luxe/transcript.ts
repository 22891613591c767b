/**
 * What a session's frames add up to: its transcript, its calls, its prompts and its state. Knows no
 * server and draws nothing; a `ready` begins everything anew.
 */

import type { luxe, LuxeEvent, LuxeEvents } from "@luvus/client";

import { type Call, CallBook } from "./calls.js";

/** Remarks that are kept. */
export const REMARKS = 200;
/** Messages that are kept; older ones are in the session's file. */
export const MESSAGES = 2_000;

export type Message = luxe.Message;

/** A part of an answer that is being written. */
export interface LiveBlock {
  block: number;
  type: "text" | "thinking";
  text: string;
}

/** Something that is said between messages. */
export interface Remark {
  type: "remark";
  id: string;
  level: "info" | "warning" | "error";
  text: string;
  hint: string | undefined;
}

export type Entry = { type: "message"; message: Message } | Remark;

export interface Plan {
  path: string;
  title: string | undefined;
  /** The call that wrote it, whose input holds its text. */
  call: string;
}

const ENDED: Partial<Record<luxe.TurnEnded["reason"], string>> = {
  cancelled: "The turn was stopped.",
  max_tokens: "The answer was cut at the model's limit.",
  max_steps: "The turn was ended after too many calls of the model.",
  refusal: "The model declined to answer.",
  context_overflow: "The conversation no longer fits into the model's context window.",
};

export class Transcript {
  ready: LuxeEvents["ready"] | undefined;
  state: luxe.StateChanged | undefined;
  session: luxe.SessionSummary | undefined;
  entries: readonly Entry[] = [];
  /** Whether older messages were left out by the server. */
  truncated = false;
  live: readonly LiveBlock[] = [];
  calls = new CallBook();
  permissions: readonly luxe.PermissionRequested[] = [];
  questions: readonly luxe.QuestionAsked[] = [];
  steering: readonly luxe.Steered[] = [];
  /** Texts that no turn took; they belong back into the composer. */
  undelivered: readonly string[] = [];
  todos: readonly luxe.Todo[] = [];
  usage: luxe.SessionUsage | undefined;
  context: luxe.ContextUsage | undefined;
  composition: luxe.ContextComposition | undefined;
  workspace: luxe.WorkspaceUpdated | undefined;
  retrying: luxe.ProviderRetrying | undefined;
  plan: Plan | undefined;
  stored: readonly luxe.SessionSummary[] = [];
  private said = 0;

  /** Whether a turn runs. */
  get running(): boolean {
    return this.state?.streaming === true;
  }

  /** The last message of the user. */
  get lastUser(): Message | undefined {
    return this.messages().findLast(
      (message) => message.role === "user" && message.origin === "client",
    );
  }

  messages(): Message[] {
    return this.entries.flatMap((entry) => (entry.type === "message" ? [entry.message] : []));
  }

  /** Take a frame; one of a kind that is not known changes nothing. */
  take(event: LuxeEvent): void {
    switch (event.kind) {
      case "ready":
        Object.assign(this, new Transcript());
        this.ready = event.content;
        return;
      case "state_changed":
        this.settle(event.content);
        return;
      case "session_loaded":
        this.load(event.content);
        return;
      case "message_committed":
        this.commit(event.content.message);
        return;
      case "transcript_rewound":
        this.rewind(new Set(event.content.removed_message_ids));
        return;
      case "turn_started":
        this.live = [];
        this.retrying = undefined;
        this.undelivered = [];
        return;
      case "token_delta":
        this.write("text", event.content.block, event.content.delta);
        return;
      case "thinking_delta":
        this.write("thinking", event.content.block, event.content.delta);
        return;
      case "turn_ended":
        this.end(event.content);
        return;
      default:
        if (!this.calls.take(event) && !this.prompt(event)) this.note(event);
    }
  }

  /** Return the call of a part. */
  call(id: string): Call | undefined {
    return this.calls.find(id);
  }

  private settle(state: luxe.StateChanged): void {
    this.state = state;
    // The lists are whole each time: what is not in them was settled, seen or not.
    const permissions = new Set(state.pending_permissions);
    const questions = new Set(state.pending_questions);
    if (this.permissions.some(({ id }) => !permissions.has(id)))
      this.permissions = this.permissions.filter(({ id }) => permissions.has(id));
    if (this.questions.some(({ id }) => !questions.has(id)))
      this.questions = this.questions.filter(({ id }) => questions.has(id));
  }

  private load(loaded: luxe.SessionLoaded): void {
    this.session = loaded.session;
    this.entries = loaded.messages.map((message) => ({ type: "message", message }));
    this.truncated = loaded.truncated;
    this.todos = loaded.todos;
    this.live = [];
    this.plan = undefined;
    this.calls = new CallBook();
    for (const message of loaded.messages) this.calls.read(message);
  }

  private commit(message: Message): void {
    if (message.role === "assistant") this.live = [];
    this.retrying = undefined;
    this.calls.read(message);
    this.entries = [...this.entries, { type: "message", message }];
    if (this.entries.length > MESSAGES + REMARKS) this.forget();
  }

  private forget(): void {
    const first = this.entries.length - MESSAGES;
    for (const entry of this.entries.slice(0, first))
      if (entry.type === "message") this.calls.forget(entry.message);
    this.entries = this.entries.slice(first);
    this.truncated = true;
  }

  private rewind(removed: ReadonlySet<string>): void {
    const first = this.entries.findIndex(
      (entry) => entry.type === "message" && removed.has(entry.message.id),
    );
    if (first >= 0) this.entries = this.entries.slice(0, first);
    this.live = [];
    this.plan = undefined;
  }

  private write(type: LiveBlock["type"], block: number, delta: string): void {
    this.retrying = undefined;
    const last = this.live.at(-1);
    if (last?.block === block) {
      this.live = [...this.live.slice(0, -1), { ...last, text: last.text + delta }];
    } else {
      this.live = [...this.live, { block, type, text: delta }];
    }
  }

  private end(ended: luxe.TurnEnded): void {
    this.live = [];
    this.retrying = undefined;
    this.undelivered = ended.undelivered_steering;
    this.calls.turnOver();
    const text = ENDED[ended.reason];
    if (text !== undefined) this.remark(ended.reason === "cancelled" ? "info" : "error", text);
  }

  private prompt(event: LuxeEvent): boolean {
    switch (event.kind) {
      case "permission_requested":
        this.permissions = [...without(this.permissions, event.content.id), event.content];
        return true;
      case "permission_resolved":
        this.permissions = without(this.permissions, event.content.id);
        return true;
      case "question_asked":
        this.questions = [...without(this.questions, event.content.id), event.content];
        return true;
      case "question_resolved":
        this.questions = without(this.questions, event.content.id);
        return true;
      case "steering_updated":
        this.steering = event.content.pending;
        return true;
      default:
        return false;
    }
  }

  private note(event: LuxeEvent): void {
    switch (event.kind) {
      case "session_usage":
        this.usage = event.content;
        return;
      case "context_usage":
        this.context = event.content;
        return;
      case "context_composition":
        this.composition = event.content;
        return;
      case "workspace_updated":
        this.workspace = event.content;
        this.todos = event.content.todos;
        return;
      case "provider_retrying":
        this.retrying = event.content;
        return;
      case "plan_written": {
        const { path, title, call_id: call } = event.content;
        this.plan = { path, title: title ?? undefined, call };
        return;
      }
      case "sessions_refreshed":
        this.stored = event.content.sessions;
        return;
      default:
        this.say(event);
    }
  }

  private say(event: LuxeEvent): void {
    switch (event.kind) {
      case "notice":
        this.remark(event.content.level, event.content.message);
        return;
      case "error":
        this.remark("error", event.content.message, event.content.hint ?? undefined);
        return;
      case "compaction_started":
        this.remark("info", "Older messages are being summarised…");
        return;
      case "compaction_done":
        this.remark(...compacted(event.content));
        return;
      case "review_started":
        this.remark("info", `${event.content.model.model} looks at the changes…`);
        return;
      case "review_finished":
        this.remark(...reviewed(event.content));
        return;
      default:
        return;
    }
  }

  private remark(level: Remark["level"], text: string, hint?: string): void {
    this.said += 1;
    const remark: Remark = { type: "remark", id: `remark-${this.said}`, level, text, hint };
    const entries = [...this.entries, remark];
    const remarks = entries.filter((entry) => entry.type === "remark");
    const oldest = remarks.length > REMARKS ? remarks[0] : undefined;
    this.entries = oldest === undefined ? entries : entries.filter((one) => one !== oldest);
  }
}

function without<T extends { id: string }>(list: readonly T[], id: string): readonly T[] {
  return list.filter((one) => one.id !== id);
}

function compacted(done: luxe.CompactionDone): [Remark["level"], string, string?] {
  if (done.ok) return ["info", `${done.messages_summarized} messages were summarised.`];
  return ["warning", done.error?.message ?? "There was nothing to summarise."];
}

function reviewed(done: luxe.ReviewFinished): [Remark["level"], string, string?] {
  const findings = done.findings.map(
    ({ path, line, title }) => `${path ?? ""}${line === null ? "" : `:${line}`} ${title}`,
  );
  const level = done.verdict === "continue" ? "info" : "warning";
  const text = done.summary ?? done.error?.message ?? `The second opinion says ${done.verdict}.`;
  return findings.length === 0 ? [level, text] : [level, text, findings.join("\n")];
}
