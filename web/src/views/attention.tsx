/** Who needs a person, the longest wait first; answered in place. */

import { useRef, useState } from "preact/hooks";

import { press, prompt } from "../state/acts.js";
import { choices, USUAL } from "../state/dialog.js";
import { usePage, useSession } from "../state/hooks.js";
import { waiting } from "../state/order.js";
import type { PaneInfo } from "../state/session.js";
import { Peek } from "./peek.js";
import { Age, State } from "./state.js";

const PEEK_LINES = 10;

export function Attention() {
  const session = useSession();
  const panes = waiting(session.panes);
  const say =
    panes.length === 0
      ? "Nobody needs you"
      : `${panes.length} ${panes.length === 1 ? "needs" : "need"} you`;
  return (
    <aside class="attention" aria-label="Attention">
      <h2 aria-live="polite">{say}</h2>
      <ul>
        {panes.map((pane) => (
          <Card key={pane.id} pane={pane} />
        ))}
      </ul>
    </aside>
  );
}

function Card({ pane }: { pane: PaneInfo }) {
  const { about, go, session, say } = usePage();
  // The card stays until an event says that the agent goes on; until then it shows that an answer
  // is under way, so that nobody gives it twice.
  const [answered, setAnswered] = useState(false);
  const [offered, setOffered] = useState(USUAL);
  const shown = useRef<number>(undefined);
  const answer = async (key: string) => {
    setAnswered(true);
    try {
      // Refused when another dialog has come meanwhile: what was read is what is answered.
      await press(session, pane, key, shown.current);
    } catch (error) {
      say((error as Error).message);
    } finally {
      setAnswered(false);
    }
  };
  return (
    <li>
      <div>
        <State state={pane.state} /> <strong>{pane.name ?? pane.agent ?? `pane ${pane.id}`}</strong>{" "}
        <span class="quiet">
          · {pane.workspaceName} · <Age pane={pane} />
        </span>
      </div>
      <Peek
        lines={PEEK_LINES}
        onShown={(revision, text) => {
          shown.current = revision;
          setOffered(choices(text));
        }}
        pane={pane.id}
      />
      <div class="answers">
        {offered.map(({ key, label }) => (
          <button
            key={key}
            disabled={about.read_only || answered}
            onClick={() => void answer(key)}
            type="button"
          >
            {key === "escape" ? "esc" : key}
            {label !== "" && <span class="quiet"> {label}</span>}
          </button>
        ))}
        <button onClick={() => go({ place: "terminals", pane: pane.id })} type="button">
          open pane
        </button>
      </div>
    </li>
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
        aria-label={`Prompt for ${pane.name ?? pane.agent ?? `pane ${pane.id}`}`}
        autoFocus
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          event.stopPropagation();
          if (event.key === "Escape") onDone();
        }}
        placeholder="Say what to do"
        value={text}
      />
      <button type="submit">send</button>
    </form>
  );
}
