/** What happened since this page was opened, as sentences. */

import { useMemo, useState } from "preact/hooks";

import { age } from "../state/format.js";
import { usePage, useSession } from "../state/hooks.js";
import { address, type Route } from "../state/route.js";
import { type Kind, KINDS } from "../state/sentences.js";
import type { Entry } from "../state/timeline.js";
import { Age } from "./state.js";

/** Entries that are drawn; the filters look at all that are kept. */
const DRAWN = 300;
const EVERYWHERE = "";

const SAID: Partial<Record<Kind, string>> = { signals: "bells" };

export function Activity() {
  const { timeline } = useSession();
  const [hidden, setHidden] = useState<ReadonlySet<Kind>>(new Set());
  const [workspace, setWorkspace] = useState(EVERYWHERE);
  const toggle = (kind: Kind) => {
    const next = new Set(hidden);
    if (!next.delete(kind)) next.add(kind);
    setHidden(next);
  };
  const passes = (entry: Entry) =>
    entry.kind === "gap" ||
    (!hidden.has(entry.kind) && (workspace === EVERYWHERE || entry.workspace === workspace));
  const found = timeline.entries.filter(passes);
  const shown = found.slice(-DRAWN).toReversed();
  return (
    <>
      <Filters hidden={hidden} toggle={toggle} workspace={workspace} choose={setWorkspace} />
      {shown.length === 0 && (
        <p class="empty">
          {timeline.entries.length === 0
            ? "Nothing has happened since this page was opened."
            : "Nothing of what is chosen here has happened."}
        </p>
      )}
      <ol class="timeline" reversed>
        {shown.map((entry) => (
          <Line entry={entry} key={entry.id} />
        ))}
      </ol>
      {found.length > DRAWN && (
        <p class="empty">{found.length - DRAWN} earlier ones are not drawn.</p>
      )}
    </>
  );
}

interface FiltersProps {
  hidden: ReadonlySet<Kind>;
  toggle(kind: Kind): void;
  workspace: string;
  choose(workspace: string): void;
}

function Filters({ hidden, toggle, workspace, choose }: FiltersProps) {
  const session = useSession();
  const named = [
    ...(session.snapshot?.workspaces.map((one) => one.name) ?? []),
    ...session.timeline.entries.flatMap((entry) => entry.workspace ?? []),
  ];
  return (
    <div class="filters">
      <fieldset>
        <legend class="unseen">Kinds of events</legend>
        {KINDS.map((kind) => (
          <label key={kind}>
            <input checked={!hidden.has(kind)} onChange={() => toggle(kind)} type="checkbox" />{" "}
            {SAID[kind] ?? kind}
          </label>
        ))}
      </fieldset>
      <label>
        <span class="quiet">workspace</span>{" "}
        <select onChange={(event) => choose(event.currentTarget.value)} value={workspace}>
          <option value={EVERYWHERE}>all</option>
          {[...new Set(named)].map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}

function Line({ entry }: { entry: Entry }) {
  // An entry is replaced when it is named anew, and never changed.
  return useMemo(() => <Drawn entry={entry} />, [entry]);
}

function Drawn({ entry }: { entry: Entry }) {
  const { go } = usePage();
  const gap = entry.kind === "gap";
  const missing = gap && entry.from !== undefined ? ` ${age(entry.from, entry.at)} missing.` : "";
  const to: Route = { place: "terminals", pane: entry.pane };
  return (
    <li class={gap ? "gap" : ""}>
      <span class="quiet number">
        <Age since={entry.at} />
      </span>
      <span>
        {entry.text}
        {missing}
      </span>
      <span class="quiet cut">{entry.workspace}</span>
      {entry.pane !== undefined && (
        <a
          href={address(to)}
          onClick={(event) => {
            if (event.ctrlKey || event.metaKey || event.shiftKey) return;
            event.preventDefault();
            go(to);
          }}
        >
          pane {entry.pane}
        </a>
      )}
    </li>
  );
}
