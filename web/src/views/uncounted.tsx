/** Says how to learn what agents use, where nothing tells it; put away for good by a button. */

import { useEffect, useState } from "preact/hooks";

import { usePage } from "../state/hooks.js";
import { type Row, uncounted } from "../state/rows.js";
import { Command } from "./copy.js";

const AWAY = "luvus-uncounted";

export function Uncounted({ rows }: { rows: readonly Row[] }) {
  const { about, session } = usePage();
  const [away, setAway] = useState(() => stored() !== null);
  const [missing, setMissing] = useState<ReadonlySet<string>>(new Set());
  const kinds = uncounted(rows).join(" ");
  const wanted = kinds !== "" && !away && !about.read_only;
  useEffect(() => {
    if (!wanted) return;
    const leaving = new AbortController();
    session.client.call("integration.status", {}, leaving.signal).then(
      ({ integrations }) =>
        setMissing(new Set(integrations.filter((one) => !one.installed).map((one) => one.agent))),
      // The hint is not worth a message.
      () => undefined,
    );
    return () => leaving.abort();
  }, [session, wanted, kinds]);
  const kind = wanted ? kinds.split(" ").find((one) => missing.has(one)) : undefined;
  if (kind === undefined) return null;
  return (
    <p class="uncounted quiet">
      Tokens and cost of {kind} come from its integration:{" "}
      <Command text={`luvus integration install ${kind} --confirm`} /> then start it again.{" "}
      <button
        class="plain"
        onClick={() => {
          setAway(true);
          store();
        }}
        type="button"
      >
        hide
      </button>
    </p>
  );
}

function stored(): string | null {
  try {
    return localStorage.getItem(AWAY);
  } catch {
    return null;
  }
}

function store(): void {
  try {
    localStorage.setItem(AWAY, "1");
  } catch {
    // A browser that stores nothing forgets it with the page.
  }
}
