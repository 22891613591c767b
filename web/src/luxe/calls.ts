/** The tool calls of a session by their ids, from the frames about them and from the transcript. */

import type { luxe, LuxeEvent } from "@luvus/client";

/** Characters of a call's output that are kept while it runs. */
export const OUTPUT = 64 * 1024;
/** Calls that are kept, also those that no message of the transcript tells of. */
export const CALLS = 4_000;

export type CallState =
  | "composing"
  | "queued"
  | "awaiting_permission"
  | "awaiting_answer"
  | "running"
  | luxe.ToolEnded["status"];

/** One call as it stands; replaced, never changed. */
export interface Call {
  id: string;
  name: string;
  title: string;
  kind: luxe.ToolStarted["kind"];
  input: Readonly<Record<string, unknown>>;
  state: CallState;
  /** Why it did not run to its end. */
  reason: string | undefined;
  output: string;
  diff: string | undefined;
  additions: number | undefined;
  deletions: number | undefined;
  images: readonly luxe.Image[];
  /** Pictures of the transcript by their digests. */
  pictures: readonly luxe.ImagePart[];
  exitCode: number | undefined;
  /** How long it took. */
  ms: number | undefined;
}

const OVER = new Set<CallState>([
  "completed",
  "failed",
  "denied",
  "rejected",
  "cancelled",
  "skipped",
  "timed_out",
]);

/** Whether a call is over. */
export function isOver(call: Call): boolean {
  return OVER.has(call.state);
}

export class CallBook {
  /** The call that the model is writing now. */
  composing: { name: string | undefined; path: string | undefined; chars: number } | undefined;
  private readonly calls = new Map<string, Call>();

  find(id: string): Call | undefined {
    return this.calls.get(id);
  }

  /** Take what a message of the transcript says about calls. */
  read(message: luxe.Message): void {
    if (message.role === "assistant") this.composing = undefined;
    for (const part of message.parts) {
      if (part.type === "tool_call") this.begin(part);
      if (part.type === "tool_result") this.result(part);
    }
  }

  /** Forget the calls of a message that is not kept any more. */
  forget(message: luxe.Message): void {
    for (const part of message.parts) {
      if (part.type === "tool_call" || part.type === "tool_result") this.calls.delete(part.call_id);
    }
  }

  /** Nothing runs any more. */
  turnOver(): void {
    this.composing = undefined;
  }

  /** Take a frame about a call; false for any other. */
  take(event: LuxeEvent): boolean {
    switch (event.kind) {
      case "tool_call_composing": {
        const { name, path, chars } = event.content;
        this.composing = { name: name ?? undefined, path: path ?? undefined, chars };
        return true;
      }
      case "tool_started":
        this.started(event.content);
        return true;
      case "tool_progress":
        this.progress(event.content);
        return true;
      case "tool_completed":
        this.completed(event.content);
        return true;
      case "tool_ended": {
        const { call_id: id, status, reason, duration_ms: ms } = event.content;
        this.change(id, { state: status, reason: reason ?? undefined, ms });
        return true;
      }
      case "tool_activity_updated": {
        const { call_id: id, title, state, kind } = event.content;
        if (!this.isOver(id)) this.change(id, { title, kind, state: state as CallState });
        return true;
      }
      default:
        return false;
    }
  }

  private begin(part: luxe.ToolCallPart): void {
    if (this.calls.has(part.call_id)) return;
    this.put({ ...blank(part.call_id, part.name), input: part.input });
  }

  private result(part: luxe.ToolResultPart): void {
    const known = this.calls.get(part.call_id) ?? blank(part.call_id, part.name);
    const live = known.output !== "" || known.diff !== undefined;
    this.put({
      ...known,
      state: part.status,
      output: live ? known.output : part.output,
      // Once the transcript holds them, the server has them: they are read when they are drawn.
      images: part.images.length > 0 ? [] : known.images,
      pictures: part.images,
    });
  }

  private started(started: luxe.ToolStarted): void {
    const { call_id: id, name, title, kind, input } = started;
    const known = this.calls.get(id) ?? blank(id, name);
    this.put({ ...known, name, title, kind, input, state: "running" });
  }

  private progress(said: luxe.ToolProgress): void {
    const known = this.calls.get(said.call_id);
    if (known === undefined || said.stream === "status") return;
    this.change(said.call_id, { output: (known.output + said.delta).slice(-OUTPUT) });
  }

  private completed(done: luxe.ToolCompleted): void {
    this.change(done.call_id, {
      output: done.output,
      diff: done.diff ?? undefined,
      additions: done.additions ?? undefined,
      deletions: done.deletions ?? undefined,
      images: done.images,
      exitCode: done.exit_code ?? undefined,
      ms: done.duration_ms,
      state: done.is_error ? "failed" : "completed",
    });
  }

  private change(id: string, to: Partial<Call>): void {
    const known = this.calls.get(id);
    if (known !== undefined) this.calls.set(id, { ...known, ...to });
  }

  private put(call: Call): void {
    this.calls.set(call.id, call);
    if (this.calls.size <= CALLS) return;
    const [oldest] = this.calls.keys();
    if (oldest !== undefined) this.calls.delete(oldest);
  }

  private isOver(id: string): boolean {
    const known = this.calls.get(id);
    return known !== undefined && isOver(known);
  }
}

function blank(id: string, name: string): Call {
  return {
    id,
    name,
    title: name,
    kind: "other",
    input: {},
    state: "queued",
    reason: undefined,
    output: "",
    diff: undefined,
    additions: undefined,
    deletions: undefined,
    images: [],
    pictures: [],
    exitCode: undefined,
    ms: undefined,
  };
}
