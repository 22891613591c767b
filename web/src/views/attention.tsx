/** Who needs a person, the longest wait first; answered in place. */

import { useState } from "preact/hooks";

import { LuxeCard } from "../luxe/place.js";
import { prompt } from "../state/acts.js";
import { usePage, useSession } from "../state/hooks.js";
import { waiting } from "../state/order.js";
import { nameOf, type Row } from "../state/rows.js";
import type { PaneInfo } from "../state/session.js";
import { Answers, useAnswering } from "./answers.js";
import { lastOf, Lines, Peek } from "./peek.js";
import { takeFocus } from "./rename.js";
import { Age, State } from "./state.js";

const PEEK_LINES = 16;

export function Attention() {
  const session = useSession();
  const rows = waiting(session.rows);
  return (
    <aside class="attention" aria-label="Attention">
      <h2>{heading(rows.length)}</h2>
      <p aria-live="polite" class="unseen">
        {spoken(rows)}
      </p>
      <ul>
        {rows.map((row) => (
          <li class={row.state} key={row.key}>
            <div>
              <State state={row.state} /> <strong>{row.name}</strong>{" "}
              <span class="quiet">
                · {row.workspaceName} · <Age since={row.since} />
              </span>
            </div>
            {row.title !== undefined && <div class="quiet cut">{row.title}</div>}
            {row.luxe !== undefined ? (
              <LuxeCard row={row.luxe} />
            ) : row.pane === undefined ? (
              <Report row={row} />
            ) : (
              <Dialog name={row.name} pane={row.pane} />
            )}
          </li>
        ))}
      </ul>
    </aside>
  );
}

function heading(number: number): string {
  if (number === 0) return "Nobody needs you";
  return `${number} ${number === 1 ? "needs" : "need"} you`;
}

/** What a screen reader hears whenever the queue changes. */
function spoken(rows: readonly Row[]): string {
  if (rows.length === 0) return "The queue is empty.";
  const said = rows.map(
    (row) => `${row.name}${row.state === "failed" ? " failed" : ""} in ${row.workspaceName}`,
  );
  return `Waiting: ${said.join(", ")}.`;
}

/** The dialog of an agent as it stands on its screen, and the keys that it asks for. */
function Dialog({ name, pane }: { name: string; pane: PaneInfo }) {
  const { go } = usePage();
  // The card stays until an event says that the agent goes on.
  const answering = useAnswering(pane);
  return (
    <>
      <Peek
        lines={PEEK_LINES}
        narrow
        onShown={(revision, text) => answering.see(revision, text)}
        pane={pane.id}
      />
      <div aria-busy={answering.busy} class="answers">
        <Answers answering={answering} />
        <button
          aria-label={`open pane of ${name}`}
          onClick={() => go({ place: "terminals", pane: pane.id })}
          type="button"
        >
          open pane
        </button>
      </div>
    </>
  );
}

/** What is left of somebody who has no screen any more. */
function Report({ row }: { row: Row }) {
  const { go, session } = usePage();
  const { route, text } = row;
  return (
    <>
      <p>
        {row.state === "failed" ? "failed" : row.state} <span class="quiet">· {row.detail}</span>
      </p>
      {text !== undefined && text.trim() !== "" && <Lines narrow text={lastOf(text, PEEK_LINES)} />}
      <div class="answers">
        {route !== undefined && (
          <button aria-label={`open ${row.name}`} onClick={() => go(route)} type="button">
            open
          </button>
        )}
        {text !== undefined && (
          <button
            aria-label={`put away ${row.name}`}
            onClick={() => session.dismiss(row.key)}
            type="button"
          >
            put away
          </button>
        )}
      </div>
    </>
  );
}

/** A line that sends a prompt to an agent. */
export function PromptLine({ pane, onDone }: { pane: PaneInfo; onDone(): void }) {
  const { session, say } = usePage();
  const [text, setText] = useState("");
  const send = async (event: Event) => {
    event.preventDefault();
    if (text.trim() === "") return;
    try {
      await prompt(session, pane, text);
      onDone();
    } catch (error) {
      say((error as Error).message);
    }
  };
  return (
    <form class="prompt" onSubmit={(event) => void send(event)}>
      <input
        aria-label={`Prompt for ${nameOf(pane)}`}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          event.stopPropagation();
          if (event.key === "Escape") onDone();
        }}
        placeholder="Say what to do"
        ref={takeFocus}
        value={text}
      />
      <button type="submit">send</button>
    </form>
  );
}
