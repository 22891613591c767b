/** A session in few lines, for the queue and the overview: what it asks, what it said last. */

import type { LuxeRow } from "@luvus/client";
import { useEffect, useMemo, useState } from "preact/hooks";

import { useChanges, usePage } from "../state/hooks.js";
import { lastOf, Lines } from "../views/peek.js";
import { takeFocus } from "../views/rename.js";
import { useLuxe } from "./hooks.js";
import { LiveSession } from "./live.js";
import { PermissionCard, QuestionCard } from "./prompts.js";
import type { Transcript } from "./transcript.js";

const LINES = 12;

/** What a session asks, answerable in place; gone only when the list says so. */
export function Card({ row, keyed }: { row: LuxeRow; keyed: boolean }) {
  const { about, go, say } = usePage();
  const store = useLuxe();
  const { session_id: id } = row;
  const open = () => go({ place: "luxe", pane: undefined, session: id });
  const retry = () => void store.client.act(id, "retry").catch((e: Error) => say(e.message));
  const asked = row.state === "blocked" ? store.asking(row) : undefined;
  const shown = asked?.shown;
  const waits = new Set(row.prompts);
  const permissions = shown?.permissions.filter((prompt) => waits.has(prompt.id)) ?? [];
  const questions = shown?.questions.filter((prompt) => waits.has(prompt.id)) ?? [];
  const first = permissions[0]?.id ?? questions[0]?.id;
  return (
    <>
      {permissions.map((prompt) => (
        <PermissionCard
          key={prompt.id}
          keyed={keyed && prompt.id === first}
          prompt={prompt}
          session={id}
        />
      ))}
      {questions.map((prompt) => (
        <QuestionCard
          key={prompt.id}
          keyed={keyed && prompt.id === first}
          prompt={prompt}
          session={id}
        />
      ))}
      {row.state === "failed" && <p>{row.error}</p>}
      {asked?.problem !== undefined && (
        <p class="state-failed">What it asks cannot be read: {asked.problem}</p>
      )}
      <div class="answers">
        {row.state === "failed" && !about.read_only && (
          <button onClick={retry} type="button">
            try again
          </button>
        )}
        <button aria-label={`open session ${row.title ?? ""}`} onClick={open} type="button">
          open session
        </button>
      </div>
    </>
  );
}

/** What a session said last, and what it asks. */
export function Peek({ row }: { row: LuxeRow }) {
  const { client } = useLuxe();
  const live = useMemo(() => new LiveSession(client, row.session_id), [client, row.session_id]);
  useEffect(() => () => live.close(), [live]);
  useChanges(live);
  const said = lastSaid(live.transcript);
  return (
    <>
      {said !== undefined && <Lines narrow={false} text={lastOf(said, LINES)} />}
      {(row.state === "blocked" || row.state === "failed") && <Card keyed row={row} />}
    </>
  );
}

function lastSaid(transcript: Transcript): string | undefined {
  if (transcript.ready === undefined) return "…";
  const live = transcript.live.findLast((block) => block.type === "text");
  if (live !== undefined) return live.text;
  for (const message of transcript.messages().toReversed()) {
    if (message.role !== "assistant") continue;
    const text = message.parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
    if (text.length > 0) return text.join("\n");
  }
  return undefined;
}

/** A line that says something to a session: to its turn when one runs, else as a new one. */
export function Prompt({ row, onDone }: { row: LuxeRow; onDone(): void }) {
  const { client } = useLuxe();
  const { say } = usePage();
  const [text, setText] = useState("");
  const send = async (event: Event) => {
    event.preventDefault();
    if (text.trim() === "") return;
    try {
      await client.act(row.session_id, "steer_turn", { text });
      onDone();
    } catch (error) {
      say((error as Error).message);
    }
  };
  return (
    <form class="prompt" onSubmit={(event) => void send(event)}>
      <input
        aria-label={`Message for ${row.title ?? "luxe"}`}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          event.stopPropagation();
          if (event.key === "Escape") onDone();
        }}
        placeholder={row.streaming ? "Say something to the running turn" : "Say what to do"}
        ref={takeFocus}
        value={text}
      />
      <button type="submit">{row.streaming ? "steer" : "send"}</button>
    </form>
  );
}
