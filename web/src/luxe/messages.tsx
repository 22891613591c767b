/** The transcript, newest last: messages, what is being written now, and remarks between them. */

import type { luxe } from "@luvus/client";
import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";

import { CallView, Stored } from "./call.js";
import { Markdown } from "./markdown.js";
import type { Entry, LiveBlock, Message, Remark, Transcript } from "./transcript.js";

/** Entries that are drawn before somebody asks for older ones. */
const SHOWN = 150;

export interface MessagesProps {
  transcript: Transcript;
  session: string;
  /** What can be done with the last message of the user. */
  onEdit: ((text: string) => void) | undefined;
}

interface AllProps extends MessagesProps {
  /** Why the session failed, as the list of sessions says. */
  failure: string | undefined;
}

export function Messages({ transcript, session, failure, onEdit }: AllProps) {
  const [more, setMore] = useState(0);
  const entries = transcript.entries;
  const hidden = Math.max(0, entries.length - SHOWN - more);
  const last = transcript.lastUser?.id;
  return (
    <ol class="messages">
      {hidden > 0 && (
        <li>
          <button class="plain" onClick={() => setMore(more + SHOWN)} type="button">
            show {Math.min(SHOWN, hidden)} earlier of {hidden}
          </button>
        </li>
      )}
      {hidden === 0 && transcript.truncated && (
        <li class="quiet">Older messages are in the session's file only.</li>
      )}
      {entries.slice(hidden).map((entry) => (
        <EntryView
          entry={entry}
          key={entry.type === "message" ? entry.message.id : entry.id}
          onEdit={entry.type === "message" && entry.message.id === last ? onEdit : undefined}
          session={session}
          transcript={transcript}
        />
      ))}
      <Live transcript={transcript} />
      {failure !== undefined && !saysWhy(entries) && (
        <RemarkView
          remark={{ type: "remark", id: "failure", level: "error", text: failure, hint: undefined }}
        />
      )}
    </ol>
  );
}

/** Whether the transcript ends with a fault: nothing tells it to who came after that. */
function saysWhy(entries: readonly Entry[]): boolean {
  const last = entries.at(-1);
  return last?.type === "remark" && last.level === "error";
}

interface EntryProps extends MessagesProps {
  entry: Entry;
}

function EntryView({ entry, transcript, session, onEdit }: EntryProps) {
  const calls =
    entry.type === "message"
      ? entry.message.parts.map((part) =>
          part.type === "tool_call" ? transcript.call(part.call_id) : undefined,
        )
      : [];
  // Drawn again only when the message or one of its calls was replaced.
  return useMemo(
    () =>
      entry.type === "remark" ? (
        <RemarkView remark={entry} />
      ) : (
        <MessageView
          message={entry.message}
          onEdit={onEdit}
          session={session}
          transcript={transcript}
        />
      ),
    // The number of calls of a message never changes.
    [entry, session, onEdit === undefined, calls.length, ...calls],
  );
}

function RemarkView({ remark }: { remark: Remark }) {
  const colour = { info: "quiet", warning: "state-blocked", error: "state-failed" }[remark.level];
  const shape = { info: "", warning: "▲ ", error: "✕ " }[remark.level];
  return (
    <li class={`remark ${colour}`}>
      {shape}
      {remark.text}
      {remark.hint !== undefined && <div class="quiet">{remark.hint}</div>}
    </li>
  );
}

interface MessageProps extends Omit<MessagesProps, "onEdit"> {
  message: Message;
  onEdit: ((text: string) => void) | undefined;
}

function MessageView({ message, transcript, session, onEdit }: MessageProps) {
  // What a tool answered is shown with its call.
  if (message.role === "tool") return null;
  const parts = message.parts.map((part, index) => (
    <PartView
      key={index}
      part={part}
      role={message.role}
      session={session}
      transcript={transcript}
    />
  ));
  if (message.role === "system") return <Aside label="note to the model">{parts}</Aside>;
  if (message.role === "assistant") {
    return (
      <li class="message assistant">
        {parts}
        {message.interrupted && <p class="quiet">interrupted</p>}
      </li>
    );
  }
  return (
    <li class="message user">
      <div class="who">
        <span>{message.origin === "client" ? "you" : message.origin.replaceAll("_", " ")}</span>
        <time class="quiet" dateTime={message.created_at}>
          {new Date(message.created_at).toLocaleTimeString([], { timeStyle: "short" })}
        </time>
        {onEdit !== undefined && (
          <button class="plain" onClick={() => onEdit(textOf(message))} type="button">
            edit and send again
          </button>
        )}
      </div>
      {parts}
    </li>
  );
}

interface PartProps {
  part: luxe.Message["parts"][number];
  role: Message["role"];
  session: string;
  transcript: Transcript;
}

function PartView({ part, role, session, transcript }: PartProps) {
  switch (part.type) {
    case "text":
      // What a person wrote stands as it was written.
      if (role === "user") return <p class="written">{part.text}</p>;
      return <Markdown text={part.text} />;
    case "thinking":
      return <Thinking text={part.redacted ? "The provider hides this." : part.text} />;
    case "image":
      return (
        <div class="pictures">
          <Stored part={part} session={session} />
        </div>
      );
    case "tool_call": {
      const call = transcript.call(part.call_id);
      return call === undefined ? null : <CallView call={call} session={session} />;
    }
    case "compaction":
      return (
        <details class="call">
          <summary>summary of the older messages</summary>
          <Markdown text={part.summary} />
        </details>
      );
    default:
      return null;
  }
}

function Aside({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <li class="message">
      <details class="call">
        <summary class="quiet">{label}</summary>
        {children}
      </details>
    </li>
  );
}

function Thinking({ text, open }: { text: string; open?: boolean }) {
  return (
    <details class="thinking" open={open === true}>
      <summary class="quiet">thinking</summary>
      <p class="written quiet">{text}</p>
    </details>
  );
}

/** What the model writes now. */
function Live({ transcript }: { transcript: Transcript }) {
  const { live, calls, retrying, state } = transcript;
  const composing = calls.composing;
  if (live.length === 0 && composing === undefined && retrying === undefined) {
    return state?.activity === "model" ? (
      <li class="message assistant quiet" data-waiting>
        waiting for the model…
      </li>
    ) : null;
  }
  return (
    <li class="message assistant live">
      {live.map((block, index) => (
        <LiveView block={block} key={block.block} last={index === live.length - 1} />
      ))}
      {composing !== undefined && (
        <p class="quiet">
          writes a call of {composing.name ?? "a tool"} {composing.path} ({composing.chars}{" "}
          characters)
        </p>
      )}
      {retrying !== undefined && (
        <p class="state-blocked">
          ▲ {retrying.reason}; try {retrying.attempt} of {retrying.max_attempts} at{" "}
          {new Date(retrying.retry_at).toLocaleTimeString()}
        </p>
      )}
    </li>
  );
}

function LiveView({ block, last }: { block: LiveBlock; last: boolean }) {
  return useMemo(
    () =>
      block.type === "thinking" ? (
        <Thinking open={last} text={block.text} />
      ) : (
        <Markdown text={block.text} />
      ),
    [block, last],
  );
}

function textOf(message: Message): string {
  return message.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
}
