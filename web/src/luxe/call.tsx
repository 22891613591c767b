/** One tool call: a line that says what it does, folded around what went in and came out. */

import type { luxe } from "@luvus/client";
import { useMemo } from "preact/hooks";

import { type Call, type CallState, isOver } from "./calls.js";
import { Diff } from "./diff.js";
import { useLuxe } from "./hooks.js";
import { Markdown } from "./markdown.js";

const SHAPE: Record<CallState, [string, string]> = {
  composing: ["…", "idle"],
  queued: ["○", "idle"],
  awaiting_permission: ["▲", "blocked"],
  awaiting_answer: ["▲", "blocked"],
  running: ["●", "working"],
  completed: ["✓", "done"],
  failed: ["✕", "failed"],
  denied: ["✕", "failed"],
  rejected: ["✕", "failed"],
  timed_out: ["✕", "failed"],
  cancelled: ["○", "idle"],
  skipped: ["○", "idle"],
};
/** Characters of one value of a call's input that are shown. */
const VALUE = 4_000;
const LOOKS_LIKE_DIFF = /^(?:---|\+\+\+|@@) /m;
/** Their input is the list beside the transcript, or the prompt below it. */
const SHOWN_ELSEWHERE = new Set(["todo", "question"]);
const PICTURE = /^image\/(?:png|jpeg|gif|webp)$/;

export function CallView({ call, session }: { call: Call; session: string }) {
  // A call is replaced when it changes, and never changed.
  return useMemo(() => <Drawn call={call} session={session} />, [call, session]);
}

function Drawn({ call, session }: { call: Call; session: string }) {
  const [shape, colour] = SHAPE[call.state] ?? SHAPE.running;
  const diff = diffOf(call);
  return (
    <details
      class="call"
      open={diff !== undefined || call.state === "running" || call.state === "failed"}
    >
      <summary>
        <span aria-hidden="true" class={`state-${colour}`}>
          {shape}
        </span>{" "}
        <strong>{call.name}</strong> <span class="cut">{titleOf(call)}</span>
        <span class="end quiet">
          {call.additions !== undefined && <Counts call={call} />}
          {call.state !== "completed" && <span>{call.state.replaceAll("_", " ")}</span>}
          {call.ms !== undefined && isOver(call) && <span>{took(call.ms)}</span>}
        </span>
      </summary>
      <Input call={call} />
      {diff !== undefined && <Diff label={`Change by ${call.name}`} text={diff} />}
      {diff === undefined && call.output !== "" && <Output call={call} />}
      <Pictures call={call} session={session} />
      {call.reason !== undefined && !call.output.includes(call.reason) && (
        <p class="quiet">{call.reason}</p>
      )}
    </details>
  );
}

function Counts({ call }: { call: Call }) {
  return (
    <span>
      <span class="state-done">+{call.additions}</span>{" "}
      <span class="state-failed">−{call.deletions}</span>
    </span>
  );
}

function Input({ call }: { call: Call }) {
  const command = call.input["command"];
  if (typeof command === "string") return <pre class="command">$ {cut(command)}</pre>;
  if (call.name === "plan_write") return <Markdown text={String(call.input["content"] ?? "")} />;
  if (SHOWN_ELSEWHERE.has(call.name) || call.kind === "edit") return null;
  const fields = Object.entries(call.input);
  if (fields.length === 0) return null;
  return (
    <dl class="input">
      {fields.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{cut(typeof value === "string" ? value : JSON.stringify(value))}</dd>
        </div>
      ))}
    </dl>
  );
}

function Output({ call }: { call: Call }) {
  return (
    <pre aria-label={`Output of ${call.name}`} class="output" tabIndex={0}>
      {call.output}
    </pre>
  );
}

function Pictures({ call, session }: { call: Call; session: string }) {
  return (
    <div class="pictures">
      {call.images.length > 0
        ? call.images.map((image, index) => <Picture image={image} key={index} />)
        : call.pictures.map((part) => <Stored key={part.sha256} part={part} session={session} />)}
    </div>
  );
}

export function Picture({ image }: { image: luxe.Image }) {
  if (!PICTURE.test(image.mime)) return null;
  return <img alt={image.name ?? "picture"} src={`data:${image.mime};base64,${image.data}`} />;
}

/** A picture of the transcript, read from the server when it is drawn. */
export function Stored({ part, session }: { part: luxe.ImagePart; session: string }) {
  const { client } = useLuxe();
  const source = client.pictureOf(session, part.sha256);
  return <img alt={part.name ?? "picture"} loading="lazy" src={source} />;
}

function diffOf(call: Call): string | undefined {
  if (call.diff !== undefined) return call.diff || undefined;
  if (call.kind !== "edit" && call.name !== "edit" && call.name !== "write") return undefined;
  return LOOKS_LIKE_DIFF.test(call.output) ? call.output : undefined;
}

function titleOf(call: Call): string {
  if (call.title !== call.name) return call.title;
  const said = call.input["command"] ?? call.input["path"] ?? call.input["pattern"];
  return typeof said === "string" ? said : "";
}

function cut(text: string): string {
  return text.length <= VALUE ? text : `${text.slice(0, VALUE)}… (${text.length} characters)`;
}

/** A duration in two digits: `40ms`, `1.2s`, `3m`. */
export function took(ms: number): string {
  if (ms < 1_000) return `${ms}ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)}s`;
  return `${Math.round(ms / 60_000)}m`;
}
