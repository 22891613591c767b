/** Where a person writes: a message, a word to the running turn, or another last message. */

import type { luxe } from "@luvus/client";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

import { usePage } from "../state/hooks.js";
import { Picture } from "./call.js";
import type { LiveSession } from "./live.js";

const PICTURES = 10;
const PICTURE_BYTES = 5 * 1024 * 1024;
const KINDS = "image/png,image/jpeg,image/gif,image/webp";

export interface ComposerProps {
  live: LiveSession;
  /** The text of the last message, while it is being written anew. */
  editing: string | undefined;
  onEdited(): void;
}

export function Composer({ live, editing, onEdited }: ComposerProps) {
  const { say } = usePage();
  const { transcript } = live;
  const [text, setText] = useState("");
  const [pictures, setPictures] = useState<readonly luxe.Image[]>([]);
  const [sending, setSending] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const running = transcript.running;

  useEffect(() => {
    // One key answers what is asked already; `autofocus` counts only once in the life of a page.
    if (document.querySelector(".talk .ask") === null) field.current?.focus();
  }, []);
  useEffect(() => {
    if (editing === undefined) return;
    setText(editing);
    field.current?.focus();
  }, [editing]);
  useEffect(() => {
    // What no turn took is not lost: it stands in the field again.
    if (transcript.undelivered.length === 0) return;
    setText((old) => [old, ...transcript.undelivered].filter(Boolean).join("\n"));
  }, [transcript.undelivered]);
  useLayoutEffect(() => {
    const element = field.current;
    if (element === null) return;
    element.style.height = "auto";
    element.style.height = `${element.scrollHeight + 2}px`;
  }, [text]);

  const send = async () => {
    if (sending || (text.trim() === "" && pictures.length === 0)) return;
    const steers = running && editing === undefined;
    if (steers && pictures.length > 0) {
      say("A running turn takes words only; the pictures can be sent once it is over.");
      return;
    }
    const images = pictures.map(({ data, mime, name }) => ({ data, mime, name }));
    setSending(true);
    try {
      if (editing !== undefined)
        await live.act("edit_resend", images.length > 0 ? { text, images } : { text });
      else if (steers) await live.act("steer_turn", { text });
      else await live.act("submit_user_message", { text, images });
      // What was written or added meanwhile stays.
      setText((now) => (now.startsWith(text) ? now.slice(text.length).trimStart() : now));
      setPictures((now) => now.filter((one) => !pictures.includes(one)));
      onEdited();
    } catch (error) {
      say((error as Error).message);
    } finally {
      setSending(false);
    }
  };
  const stop = () => void live.act("cancel").catch((error: Error) => say(error.message));
  const add = async (files: readonly File[]) => {
    const room = PICTURES - pictures.length;
    if (files.length > room) say(`A message has at most ${PICTURES} pictures.`);
    try {
      const read = await Promise.all(files.slice(0, room).map(readPicture));
      setPictures((old) => [...old, ...read].slice(0, PICTURES));
    } catch (error) {
      say((error as Error).message);
    }
  };
  const onKey = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      void send();
    } else if (event.key === "Escape" && editing !== undefined) {
      setText("");
      onEdited();
    } else if (event.key === "Escape" && text === "") {
      // First to what is asked, so that one key can answer it; only then does it stop the turn.
      const asked = document.querySelector<HTMLElement>(".talk .ask");
      if (asked !== null) asked.focus();
      else if (running) stop();
    }
  };
  const label =
    editing !== undefined ? "Write the last message anew" : running ? "Steer the turn" : "Message";
  return (
    <form
      class="composer"
      onDragOver={(event) => {
        if (event.dataTransfer?.types.includes("Files")) event.preventDefault();
      }}
      onDrop={(event) => {
        const files = [...(event.dataTransfer?.files ?? [])];
        // Text that is dropped belongs to the field.
        if (files.length === 0) return;
        event.preventDefault();
        void add(files);
      }}
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <Waiting live={live} />
      {pictures.length > 0 && (
        <div class="pictures">
          {pictures.map((image, index) => (
            <button
              aria-label={`Take out ${image.name ?? "picture"}`}
              class="plain"
              key={index}
              onClick={() => setPictures(pictures.filter((one) => one !== image))}
              type="button"
            >
              <Picture image={image} />
            </button>
          ))}
        </div>
      )}
      <textarea
        aria-label={label}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={onKey}
        onPaste={(event) => {
          const files = [...(event.clipboardData?.files ?? [])];
          if (files.length > 0) void add(files);
        }}
        placeholder={hint(live)}
        ref={field}
        rows={1}
        value={text}
      />
      <div class="answers">
        <button disabled={sending || (text.trim() === "" && pictures.length === 0)} type="submit">
          {editing !== undefined ? "send anew" : running ? "steer" : "send"} <kbd>↵</kbd>
        </button>
        {editing !== undefined && (
          <button
            onClick={() => {
              setText("");
              onEdited();
            }}
            type="button"
          >
            keep the old one
          </button>
        )}
        {running && (
          <button onClick={stop} type="button">
            stop <kbd>esc</kbd>
          </button>
        )}
        {!running && <Attach onFiles={(files) => void add(files)} />}
        {!running && editing === undefined && <Again live={live} />}
      </div>
    </form>
  );
}

function hint({ transcript }: LiveSession): string {
  if (!transcript.running) return "Say what to do";
  const asked = transcript.permissions.length + transcript.questions.length > 0;
  return asked ? "esc, then a key answers; or say something" : "Say something to the running turn";
}

function Attach({ onFiles }: { onFiles(files: readonly File[]): void }) {
  return (
    <label class="attach">
      picture
      <input
        accept={KINDS}
        aria-label="Attach pictures"
        class="unseen"
        multiple
        onChange={(event) => {
          onFiles([...(event.currentTarget.files ?? [])]);
          event.currentTarget.value = "";
        }}
        type="file"
      />
    </label>
  );
}

/** Words to the running turn that it has not read yet. */
function Waiting({ live }: { live: LiveSession }) {
  const { say } = usePage();
  const { steering } = live.transcript;
  if (steering.length === 0) return null;
  return (
    <div class="waiting" role="status">
      <ul>
        {steering.map(({ id, text }) => (
          <li class="cut" key={id}>
            <span class="quiet">next:</span> {text}
          </li>
        ))}
      </ul>
      <button
        onClick={() => void live.act("withdraw_steering").catch((e: Error) => say(e.message))}
        type="button"
      >
        take back
      </button>
    </div>
  );
}

/** What can be done once more. */
function Again({ live }: { live: LiveSession }) {
  const { say } = usePage();
  const { transcript } = live;
  if (transcript.lastUser === undefined) return null;
  const answered = transcript.messages().at(-1)?.role === "assistant";
  const act = (kind: "retry" | "regenerate") =>
    void live.act(kind).catch((error: Error) => say(error.message));
  return (
    <button class="plain" onClick={() => act(answered ? "regenerate" : "retry")} type="button">
      {answered ? "answer again" : "try again"}
    </button>
  );
}

async function readPicture(file: File): Promise<luxe.Image> {
  if (!KINDS.split(",").includes(file.type))
    throw new Error(`${file.name} is no picture that is understood: png, jpeg, gif or webp`);
  if (file.size > PICTURE_BYTES) throw new Error(`${file.name} is larger than 5 MiB`);
  const url = await new Promise<string>((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(new Error(`${file.name} cannot be read`));
    reader.readAsDataURL(file);
  });
  return { data: url.slice(url.indexOf(",") + 1), mime: file.type, name: file.name };
}
