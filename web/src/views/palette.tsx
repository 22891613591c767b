/** One field that finds everything: places, agents, panes, workspaces and methods. */

import type { METHODS } from "@luvus/client/generated/catalogue.js";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";

import { useLuxe } from "../luxe/hooks.js";
import { usePage, useSession } from "../state/hooks.js";
import { type Command, commands } from "../state/commands.js";
import { score } from "../state/match.js";
import { byUrgency } from "../state/order.js";
import { labelOf } from "../state/rows.js";
import { useCopy } from "./copy.js";
import { Dialog } from "./dialog.js";

/** Results that are shown. */
const SHOWN = 30;

/** Panes that stand before what can be done here, the ones that need somebody first. */
const FIRST = 5;

export function Palette({ onClose, onHelp }: { onClose(): void; onHelp(): void }) {
  const items = useItems(onHelp);
  const dialog = useRef<HTMLDialogElement>(null);
  const [query, setQuery] = useState("");
  const [at, setAt] = useState(0);
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => list.current?.children[at]?.scrollIntoView({ block: "nearest" }), [at]);
  const found = useMemo(() => find(items, query), [items, query]);
  const run = (item: Command | undefined) => {
    if (item === undefined) return;
    // Closing gives the focus back to where it was before anything else asks for it.
    dialog.current?.close();
    item.act();
  };
  const key = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.key === "ArrowDown") setAt(Math.min(at + 1, found.length - 1));
    else if (event.key === "ArrowUp") setAt(Math.max(at - 1, 0));
    else if (event.key === "Enter") run(found[at]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog class="palette" dialog={dialog} label="Find" onClose={onClose}>
      <input
        aria-activedescendant={found.length > 0 ? `found-${at}` : undefined}
        aria-controls="found"
        aria-expanded="true"
        aria-label="Find agents, panes, workspaces and methods"
        autoFocus
        onInput={(event) => {
          setQuery(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={key}
        placeholder="Find anything"
        role="combobox"
        value={query}
      />
      <ul aria-label="Found" id="found" ref={list} role="listbox">
        {found.map((item, index) => (
          <li
            aria-selected={index === at}
            id={`found-${index}`}
            key={`${index} ${item.label} ${item.hint}`}
            onClick={() => run(item)}
            role="option"
          >
            <span>{item.label}</span>
            <span class="quiet cut">{item.hint}</span>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p class="empty">Nothing is called that.</p>}
    </Dialog>
  );
}

function find(items: readonly Command[], query: string): Command[] {
  if (query === "") return items.slice(0, SHOWN);
  return items
    .map((item) => ({ item, points: score(query, `${item.label} ${item.hint}`) }))
    .filter((one) => one.points > 0)
    .sort((a, b) => b.points - a.points)
    .slice(0, SHOWN)
    .map((one) => one.item);
}

async function logOut(say: (text: string) => void): Promise<void> {
  try {
    const answer = await fetch("/logout", {
      method: "POST",
      // The header that no other site's page can send.
      headers: { "content-type": "application/json", "x-luvus": "1" },
      body: "{}",
    });
    if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
    location.assign("/login");
  } catch (error) {
    say(`Not logged out: ${(error as Error).message}`);
  }
}

type Catalogue = typeof METHODS;
let catalogue: Catalogue | undefined;

/** Every method of the server; loaded when the palette is first opened. */
function useCatalogue(): Catalogue {
  const [found, setFound] = useState<Catalogue>(catalogue ?? []);
  useEffect(() => {
    if (catalogue !== undefined) return;
    import("@luvus/client/generated/catalogue.js").then(
      ({ METHODS: methods }) => setFound((catalogue = methods)),
      // Everything else is found without it.
      () => undefined,
    );
  }, []);
  return found;
}

function useItems(onHelp: () => void): Command[] {
  const session = useSession();
  const { about, route, go, say } = usePage();
  const copy = useCopy();
  const luxe = useLuxe();
  const known = useCatalogue();
  return useMemo(() => {
    const places: Command[] = [
      { label: "Overview", hint: "g o", act: () => go({ place: "overview", pane: undefined }) },
      { label: "Terminals", hint: "g t", act: () => go({ place: "terminals", pane: undefined }) },
      { label: "Activity", hint: "g a", act: () => go({ place: "activity", pane: undefined }) },
    ];
    const begin = (cwd?: string) => () => luxe.start(cwd);
    const starts: Command[] = about.read_only
      ? []
      : [
          { label: "Start Luxe", hint: "l · our own coding agent, in a folder", act: begin() },
          ...(session.snapshot?.workspaces ?? []).map(({ name, cwd }) => ({
            label: `Start Luxe in ${name}`,
            hint: cwd,
            act: begin(cwd),
          })),
        ];
    const panes = byUrgency(session.rows).map((row) => ({
      label: labelOf(row),
      hint: [
        row.pane === undefined ? row.detail : `pane ${row.pane.id}`,
        row.state === "unknown" ? undefined : row.state,
        row.title,
        row.workspaceName,
        row.folder,
      ]
        .filter(Boolean)
        .join(" · "),
      act: () => go(row.route ?? { place: "overview", pane: undefined }),
    }));
    const workspaces = (session.snapshot?.workspaces ?? []).map((workspace) => ({
      label: workspace.name,
      hint: `workspace · ${workspace.cwd}`,
      act: () => {
        const pane = workspace.tabs.find((tab) => tab.active)?.panes[0];
        go({ place: "terminals", pane: pane?.pane_id });
      },
    }));
    const methods = known
      .filter(([, , , access]) => !about.read_only || access === "read")
      .map(([name, summary, , access]) => ({
        label: name,
        hint: summary,
        act: () => {
          // What changes something is never done by one key: its command is copied instead.
          if (access === "write") {
            const command = `luvus call ${name} '{}'`;
            void copy(command);
            return;
          }
          session.client.transport.call(name, {}).then(
            (result) => say(JSON.stringify(result).slice(0, 400)),
            (error: Error) => say(error.message),
          );
        },
      }));
    const page: Command[] = [
      { label: "Keys", hint: "?", act: onHelp },
      { label: "Log out", hint: "this browser", act: () => void logOut(say) },
    ];
    const here = { overview: "Overview", terminals: "Terminals", activity: "Activity", luxe: "" };
    const other = places.filter(({ label }) => label !== here[route.place]);
    return [
      // Out of a terminal there is no other way by keys: `ctrl . enter`.
      ...other,
      ...panes.slice(0, FIRST),
      ...commands(),
      ...places.filter((place) => !other.includes(place)),
      ...panes.slice(FIRST),
      ...starts,
      ...workspaces,
      ...page,
      ...methods,
    ];
  }, [
    session.snapshot,
    session.rows,
    about.read_only,
    route.place,
    known,
    luxe,
    copy,
    go,
    say,
    onHelp,
  ]);
}
