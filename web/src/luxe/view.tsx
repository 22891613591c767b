/** One session: what was said and done, what it asks, and where to answer. */

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";

import "./luxe.css";
import { money, shortPath } from "../state/format.js";
import { useChanges, usePage } from "../state/hooks.js";
import { Confirm } from "../views/confirm.js";
import { State } from "../views/state.js";
import { Composer } from "./composer.js";
import { Controls } from "./controls.js";
import { useLuxe } from "./hooks.js";
import { LiveSession } from "./live.js";
import { Messages } from "./messages.js";
import { PermissionCard, QuestionCard } from "./prompts.js";
import { Side } from "./side.js";

/** Pixels from the end of the transcript within which it stays at the end. */
const NEAR_END = 48;

export function LuxeView({ id }: { id: string }) {
  const { client } = useLuxe();
  const [attempt, setAttempt] = useState(0);
  const live = useMemo(() => new LiveSession(client, id), [client, id, attempt]);
  useEffect(() => () => live.close(), [live]);
  useChanges(live);
  return <Shown id={id} live={live} onAgain={() => setAttempt(attempt + 1)} />;
}

function Shown({ id, live, onAgain }: { id: string; live: LiveSession; onAgain(): void }) {
  const { about } = usePage();
  const [editing, setEditing] = useState<string>();
  const [sided, setSided] = useState(false);
  const row = useLuxe().row(id);
  const { transcript, connection } = live;
  const ended = connection === "ended";
  if (transcript.ready === undefined) {
    return ended ? (
      <div class="talk">
        <Gone id={id} onAgain={onAgain} />
      </div>
    ) : (
      <p class="empty" role="status">
        {live.error === undefined ? "Connecting…" : `${live.error.message}; trying again…`}
      </p>
    );
  }
  const stale = connection === "lost" || ended;
  const mayEdit = !about.read_only && !stale && !transcript.running;
  return (
    <div class={`talk${stale ? " stale" : ""}${sided ? " sided" : ""}`}>
      <Head id={id} live={live} onSide={() => setSided(!sided)} sided={sided} />
      <Scroller live={live}>
        <Messages
          failure={row?.state === "failed" ? (row.error ?? undefined) : undefined}
          onEdit={mayEdit ? setEditing : undefined}
          session={id}
          transcript={transcript}
        />
      </Scroller>
      <Side live={live} />
      <div class="dock">
        {ended && <Gone id={id} onAgain={onAgain} />}
        {connection === "lost" && (
          <p class="state-blocked" role="status">
            ▲ no connection; what was sent is safe{" "}
            <button onClick={() => live.hurry()} type="button">
              try now
            </button>
          </p>
        )}
        {!ended && <Prompts id={id} live={live} />}
        {!ended && !about.read_only && (
          <Composer editing={editing} live={live} onEdited={() => setEditing(undefined)} />
        )}
        {!ended && about.read_only && <p class="quiet">This login may look and not act.</p>}
      </div>
    </div>
  );
}

interface HeadProps {
  id: string;
  live: LiveSession;
  /** Whether a narrow window shows what stands beside the transcript. */
  sided: boolean;
  onSide(): void;
}

function Head({ id, live, sided, onSide }: HeadProps) {
  const { about, go, say } = usePage();
  const store = useLuxe();
  const [closing, setClosing] = useState(false);
  const { ready, session, state, usage } = live.transcript;
  const row = store.row(id);
  const title = row?.title ?? session?.title ?? session?.first_message ?? "new session";
  const branch = live.transcript.workspace?.git?.branch ?? row?.branch;
  const close = async () => {
    try {
      await store.client.close(id);
      go({ place: "overview", pane: undefined });
    } catch (error) {
      say((error as Error).message);
    }
  };
  return (
    <header>
      <div class="line">
        {row !== undefined && <State named state={row.state} />}
        <h2 class="cut" title={title}>
          {title}
        </h2>
        <span class="quiet cut" title={ready?.cwd}>
          {shortPath(ready?.cwd ?? "")} {branch && `⎇ ${branch}`}
        </span>
        <span class="end">
          {state !== undefined && state.activity !== "idle" && (
            <span class="quiet">{state.activity.replaceAll("_", " ")}</span>
          )}
          {usage !== undefined && usage.calls > 0 && (
            <span class="number" title="What this session cost">
              {money(usage.cost_usd ?? undefined)}
            </span>
          )}
          <button aria-pressed={sided} class="more" onClick={onSide} type="button">
            details
          </button>
          {!about.read_only && (
            <button onClick={() => setClosing(true)} type="button">
              close
            </button>
          )}
        </span>
      </div>
      <Controls live={live} />
      {closing && (
        <Confirm
          act="close it"
          detail="A turn that runs is stopped. What was said stays on the disk and can be resumed."
          onAct={() => void close()}
          onClose={() => setClosing(false)}
          question="Close this session?"
        />
      )}
    </header>
  );
}

/** Stays at the end while it is there, and where it was once somebody has scrolled back. */
function Scroller({ live, children }: { live: LiveSession; children: preact.ComponentChildren }) {
  const box = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  const [behind, setBehind] = useState(false);
  useLayoutEffect(() => {
    const element = box.current;
    if (element !== null && follows.current) element.scrollTop = element.scrollHeight;
  }, [live.version]);
  const onScroll = () => {
    const element = box.current;
    if (element === null) return;
    const left = element.scrollHeight - element.scrollTop - element.clientHeight;
    follows.current = left < NEAR_END;
    setBehind(!follows.current);
  };
  return (
    <div class="scroller">
      <div
        aria-label="Transcript"
        class="transcript"
        onScroll={onScroll}
        ref={box}
        role="log"
        tabIndex={0}
      >
        {children}
      </div>
      {behind && (
        <button
          class="behind"
          onClick={() => {
            follows.current = true;
            box.current?.scrollTo({ top: box.current.scrollHeight });
          }}
          type="button"
        >
          ↓ to the end
        </button>
      )}
    </div>
  );
}

/** Everything that waits; single keys answer the oldest. */
function Prompts({ id, live }: { id: string; live: LiveSession }) {
  const { permissions, questions } = live.transcript;
  const first = permissions[0]?.id ?? questions[0]?.id;
  return (
    <div aria-live="polite" class="prompts">
      {permissions.map((prompt) => (
        <PermissionCard key={prompt.id} keyed={prompt.id === first} prompt={prompt} session={id} />
      ))}
      {questions.map((prompt) => (
        <QuestionCard key={prompt.id} keyed={prompt.id === first} prompt={prompt} session={id} />
      ))}
      <PlanCard live={live} />
    </div>
  );
}

/** A plan that was written waits for a person's word before anything is built. */
function PlanCard({ live }: { live: LiveSession }) {
  const { about, say } = usePage();
  const [answered, setAnswered] = useState<string>();
  const { plan, state, running } = live.transcript;
  if (plan === undefined || state?.mode !== "plan" || running || answered === plan.call)
    return null;
  const build = async () => {
    setAnswered(plan.call);
    try {
      await live.act("set_mode", "build");
      await live.act("submit_user_message", { text: `Carry out the plan in ${plan.path}.` });
    } catch (error) {
      setAnswered(undefined);
      say((error as Error).message);
    }
  };
  return (
    <div aria-label="Plan" class="ask" role="group" tabIndex={-1}>
      <p>
        <span class="state-blocked">▲</span> <strong>{plan.title ?? "A plan"}</strong>{" "}
        <span class="quiet">is in {plan.path}</span>
      </p>
      <div class="answers">
        <button disabled={about.read_only} onClick={() => void build()} type="button">
          build it
        </button>
        <button disabled={about.read_only} onClick={() => setAnswered(plan.call)} type="button">
          keep planning
        </button>
      </div>
    </div>
  );
}

/** A session that is not open: it was closed, or could not be loaded. */
function Gone({ id, onAgain }: { id: string; onAgain(): void }) {
  const { about, go, say } = usePage();
  const store = useLuxe();
  const row = store.row(id);
  const open = row !== undefined;
  const listed = useRef(open);
  useEffect(() => {
    // One that was listed all the time could not be loaded, and says why.
    if (open && !listed.current) onAgain();
    listed.current = open;
  }, [open]);
  const resume = async () => {
    try {
      const ready = await store.client.open({ resume: id });
      if (ready.session_id === id) onAgain();
      else go({ place: "luxe", pane: undefined, session: ready.session_id });
    } catch (error) {
      say((error as Error).message);
    }
  };
  return (
    <div class="gone" role="status">
      <p>This session is not open{row?.error == null ? "" : `: ${row.error}`}.</p>
      {!about.read_only && (
        <button onClick={() => void resume()} type="button">
          resume it
        </button>
      )}
    </div>
  );
}
