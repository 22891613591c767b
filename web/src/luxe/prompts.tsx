/** What a session asks, answered in place: permissions with exactly what would run, and questions. */

import type { luxe } from "@luvus/client";
import { useEffect, useRef, useState } from "preact/hooks";

import { usePage } from "../state/hooks.js";
import { isFree } from "../views/shortcut.js";
import { Diff } from "./diff.js";
import { useLuxe } from "./hooks.js";

/** After a prompt has come, single keys mean nothing for so long: they were meant for another. */
const SETTLE_MS = 400;
type Reply = luxe.RespondPermission["reply"];

const REPLIES: Record<Reply, [string, string]> = {
  once: ["1", "yes, once"],
  always: ["2", "yes, always in this session"],
  always_persist: ["3", "yes, always in this project"],
  reject: ["4", "no"],
};

export interface PromptProps<P> {
  prompt: P;
  session: string;
  /** Whether single keys answer this one. */
  keyed: boolean;
}

/** Answers one prompt and says why when that was refused. */
function useAnswer(): [boolean, (act: () => Promise<void>) => Promise<void>] {
  const { say } = usePage();
  const [answering, setAnswering] = useState(false);
  const answer = async (act: () => Promise<void>) => {
    setAnswering(true);
    try {
      await act();
    } catch (error) {
      say((error as Error).message);
    } finally {
      setAnswering(false);
    }
  };
  return [answering, answer];
}

/**
 * Call back with single keys that no field takes, once the prompt has stood long enough; whether
 * that is so.
 */
function useKeys(active: boolean, id: string, onKey: (key: string) => boolean): boolean {
  const handler = useRef(onKey);
  handler.current = onKey;
  const [settled, setSettled] = useState<string>();
  const ready = active && settled === id;
  useEffect(() => {
    setSettled(undefined);
    if (!active) return;
    const timer = setTimeout(() => setSettled(id), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [active, id]);
  useEffect(() => {
    if (!ready) return;
    const listen = (event: KeyboardEvent) => {
      // A key that is held down answers one prompt, not those that follow it.
      if (event.repeat || !isFree(event)) return;
      if (handler.current(event.key)) event.preventDefault();
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, [ready]);
  return ready;
}

export function PermissionCard({ prompt, session, keyed }: PromptProps<luxe.PermissionRequested>) {
  const { client } = useLuxe();
  const { about } = usePage();
  const [why, setWhy] = useState("");
  const [answering, answer] = useAnswer();
  const off = about.read_only || answering;
  const offered = prompt.replies.filter((reply): reply is Reply => reply in REPLIES);
  const give = (reply: Reply) =>
    void answer(() =>
      client.act(session, "respond_permission", {
        id: prompt.id,
        reply,
        ...(reply === "reject" && why.trim() !== "" ? { message: why.trim() } : {}),
      }),
    );
  const ready = useKeys(keyed && !off, prompt.id, (key) => {
    const reply = offered.find((one) => REPLIES[one][0] === key);
    if (reply === undefined) return false;
    give(reply);
    return true;
  });
  return (
    <div aria-label={prompt.title} class={ready ? "ask keyed" : "ask"} role="group" tabIndex={-1}>
      <p>
        <span aria-hidden="true" class="state-blocked">
          ▲
        </span>{" "}
        <strong>{prompt.command === null ? prompt.title : "wants to run"}</strong>
      </p>
      <Asked prompt={prompt} />
      <div class="answers">
        {offered.map((reply) => (
          <button
            disabled={off}
            key={reply}
            onClick={() => give(reply)}
            title={patternsOf(prompt, reply)}
            type="button"
          >
            {keyed && <kbd>{REPLIES[reply][0]}</kbd>} {REPLIES[reply][1]}
          </button>
        ))}
      </div>
      {prompt.always_patterns.length > 0 && (
        <p class="quiet">
          always means{" "}
          {prompt.always_patterns.map((pattern) => (
            <code key={pattern}>{pattern} </code>
          ))}
        </p>
      )}
      {!about.read_only && (
        <form
          class="prompt"
          onSubmit={(event) => {
            event.preventDefault();
            give("reject");
          }}
        >
          <input
            aria-label="What to do instead"
            disabled={off}
            maxLength={4000}
            onInput={(event) => setWhy(event.currentTarget.value)}
            onKeyDown={(event) => event.stopPropagation()}
            placeholder="no, do this instead…"
            value={why}
          />
          <button disabled={off || why.trim() === ""} type="submit">
            say no
          </button>
        </form>
      )}
    </div>
  );
}

/** Exactly what would run: the command, the change, the places. */
function Asked({ prompt }: { prompt: luxe.PermissionRequested }) {
  return (
    <>
      {prompt.command !== null && (
        <pre class="command" tabIndex={0}>
          $ {prompt.command}
        </pre>
      )}
      {prompt.diff !== null && <Diff label="The change" text={prompt.diff} />}
      {prompt.command === null && prompt.diff === null && (
        <ul class="resources">
          {prompt.resources.map((resource) => (
            <li key={resource}>
              <code>{resource}</code>
            </li>
          ))}
        </ul>
      )}
      <p class="quiet">
        {prompt.tool}
        {prompt.path !== null && ` · ${prompt.path}`}
        {prompt.cwd !== null && ` · in ${prompt.cwd}`}
        {` · ${prompt.reason}`}
      </p>
      {prompt.description !== null && <p>{prompt.description}</p>}
    </>
  );
}

function patternsOf(prompt: luxe.PermissionRequested, reply: Reply): string | undefined {
  return reply.startsWith("always") ? prompt.always_patterns.join("\n") : undefined;
}

export function QuestionCard({ prompt, session, keyed }: PromptProps<luxe.QuestionAsked>) {
  const { client } = useLuxe();
  const { about } = usePage();
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [text, setText] = useState("");
  const [answering, answer] = useAnswer();
  const off = about.read_only || answering;
  const reply = (given: luxe.AnswerQuestion["reply"]) =>
    void answer(() => client.act(session, "answer_question", { id: prompt.id, reply: given }));
  const own = text.trim();
  const given = own === "" ? chosen : [...chosen, own];
  const pick = (label: string) => {
    if (!prompt.multiple) return reply({ answered: [label] });
    setChosen(chosen.includes(label) ? chosen.filter((one) => one !== label) : [...chosen, label]);
  };
  const ready = useKeys(keyed && !off, prompt.id, (key) => {
    const option = prompt.options[Number(key) - 1];
    if (option !== undefined) pick(option.label);
    else if (key === "Enter" && given.length > 0) reply({ answered: given });
    else return false;
    return true;
  });
  return (
    <div
      aria-label={prompt.question}
      class={ready ? "ask keyed" : "ask"}
      role="group"
      tabIndex={-1}
    >
      <p>
        <span aria-hidden="true" class="state-blocked">
          ▲
        </span>{" "}
        {prompt.header !== "" && <span class="quiet">{prompt.header} · </span>}
        <strong>{prompt.question}</strong>
        {prompt.total > 1 && (
          <span class="quiet">
            {" "}
            {prompt.index + 1} of {prompt.total}
          </span>
        )}
      </p>
      <ul class="options">
        {prompt.options.map(({ label, description }, index) => (
          <li key={label}>
            <button
              aria-pressed={prompt.multiple ? chosen.includes(label) : undefined}
              disabled={off}
              onClick={() => pick(label)}
              type="button"
            >
              {keyed && <kbd>{index + 1}</kbd>}{" "}
              {prompt.multiple && (chosen.includes(label) ? "☑ " : "☐ ")}
              {label}
            </button>
            {description !== "" && <span class="quiet"> {description}</span>}
          </li>
        ))}
      </ul>
      {!about.read_only && (
        <form
          class="prompt"
          onSubmit={(event) => {
            event.preventDefault();
            if (given.length > 0) reply({ answered: given });
          }}
        >
          {prompt.free_text && (
            <input
              aria-label="Your own answer"
              disabled={off}
              maxLength={4000}
              onInput={(event) => setText(event.currentTarget.value)}
              onKeyDown={(event) => event.stopPropagation()}
              placeholder="or say it in your own words"
              value={text}
            />
          )}
          {(prompt.free_text || prompt.multiple) && (
            <button disabled={off || given.length === 0} type="submit">
              answer
            </button>
          )}
          <button disabled={off} onClick={() => reply("cancelled")} type="button">
            decline
          </button>
        </form>
      )}
    </div>
  );
}
