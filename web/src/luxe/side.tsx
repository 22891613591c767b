/** Beside the transcript: the agent's list, what the session used, what fills its context. */

import type { luxe } from "@luvus/client";

import { count, money, UNKNOWN } from "../state/format.js";
import { usePage } from "../state/hooks.js";
import type { LiveSession } from "./live.js";

const DONE: Record<luxe.Todo["status"], [string, string]> = {
  pending: ["○", "idle"],
  in_progress: ["●", "working"],
  completed: ["✓", "done"],
  cancelled: ["✕", "idle"],
};
/** Changed files that are listed. */
const FILES = 30;

export function Side({ live }: { live: LiveSession }) {
  const { todos, workspace } = live.transcript;
  const git = workspace?.git ?? undefined;
  return (
    <aside aria-label="Session" class="side">
      {todos.length > 0 && (
        <section>
          <h2>to do</h2>
          <ul>
            {todos.map(({ id, content, status }) => (
              <li class={status === "completed" ? "quiet" : undefined} key={id}>
                <span class={`state-${DONE[status][1]}`}>
                  <span aria-hidden="true">{DONE[status][0]}</span>
                  <span class="unseen">{status.replaceAll("_", " ")}</span>
                </span>{" "}
                {content}
              </li>
            ))}
          </ul>
        </section>
      )}
      <Context live={live} />
      <Usage live={live} />
      {git !== undefined && git.files_total > 0 && <Changes git={git} />}
    </aside>
  );
}

function Context({ live }: { live: LiveSession }) {
  const { about, say } = usePage();
  const { context, composition, running } = live.transcript;
  if (context === undefined) return null;
  const attempt = (work: Promise<void>) => void work.catch((error: Error) => say(error.message));
  return (
    <section>
      <h2>context</h2>
      <meter
        aria-label="Context used"
        high={context.compact_at_tokens}
        max={context.context_window}
        value={context.used_tokens}
      />
      <p>
        {count(context.used_tokens)} of {count(context.context_window)}{" "}
        <span class="quiet">
          {context.percent}%{context.source === "estimated" && ", estimated"}
        </span>
      </p>
      {composition !== undefined && (
        <dl class="figures">
          {composition.categories
            .filter(({ tokens }) => tokens > 0)
            .map(({ name, label, tokens }) => (
              <div key={name}>
                <dt>{label}</dt>
                <dd>{count(tokens)}</dd>
              </div>
            ))}
        </dl>
      )}
      {!about.read_only && (
        <div class="answers">
          <button onClick={() => attempt(live.act("request_context_composition"))} type="button">
            what fills it
          </button>
          <button
            disabled={running}
            onClick={() => attempt(live.act("compact_now", null))}
            type="button"
          >
            summarise
          </button>
        </div>
      )}
    </section>
  );
}

function Usage({ live }: { live: LiveSession }) {
  const { usage } = live.transcript;
  if (usage === undefined || usage.calls === 0) return null;
  const figures: [string, string][] = [
    ["cost", money(usage.cost_usd ?? undefined)],
    ["read", count(usage.prompt_tokens)],
    ["of it cached", count(usage.cached_prompt_tokens)],
    ["written", count(usage.completion_tokens)],
    ["turns", String(usage.turns)],
  ];
  return (
    <section>
      <h2>used</h2>
      <dl class="figures">
        {figures.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {usage.unpriced_calls > 0 && (
        <p class="quiet">{usage.unpriced_calls} calls have no known price.</p>
      )}
    </section>
  );
}

function Changes({ git }: { git: luxe.GitState }) {
  const files = git.files.slice(0, FILES);
  return (
    <section>
      <h2>
        changes <span class="state-done">+{git.additions}</span>{" "}
        <span class="state-failed">−{git.deletions}</span>
      </h2>
      <ul class="files">
        {files.map((file) => (
          <li key={file.path}>
            <span class="cut" title={file.path}>
              {file.path}
            </span>
            <span class="quiet">
              {file.additions === null ? UNKNOWN : `+${file.additions} −${file.deletions ?? 0}`}
            </span>
          </li>
        ))}
      </ul>
      {git.files_total > files.length && (
        <p class="quiet">and {git.files_total - files.length} more</p>
      )}
    </section>
  );
}
