/** The tabs of the workspace that is shown, and what can be done to them. */

import type { Snapshot } from "@luvus/client";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

import { inWorkspace } from "../state/arrange.js";
import { usePage, useSession } from "../state/hooks.js";
import type { PaneInfo } from "../state/session.js";
import { Rename } from "./rename.js";
import { PANE_KIND } from "./title.js";

type Tab = Snapshot["workspaces"][number]["tabs"][number];

/** What a dragged tab is called while it is dragged. */
const TAB_KIND = "application/x-luvus-tab";
/** The longest name that the server takes. */
const NAME_CHARACTERS = 40;

export interface TabsProps {
  shown: PaneInfo;
  /** The tab whose name is being changed. */
  renaming: string | undefined;
  onRenaming(tab: string | undefined): void;
  onCloseTab(): void;
  children: ComponentChildren;
}

export function Tabs({ shown, renaming, onRenaming, onCloseTab, children }: TabsProps) {
  const session = useSession();
  const { about, go, say } = usePage();
  const workspace = session.snapshot?.workspaces.find((one) => one.index === shown.workspace);
  if (workspace === undefined) return null;
  const attempt = (work: Promise<unknown>) => void work.catch((e: Error) => say(e.message));
  const there = (act: () => Promise<unknown>) =>
    attempt(inWorkspace(session, workspace.index, act));
  const show = (tab: Tab | undefined) => {
    const pane = tab?.panes.find((one) => one.focused) ?? tab?.panes[0];
    if (pane !== undefined) go({ place: "terminals", pane: pane.pane_id });
  };
  const drop = (event: DragEvent, to: Tab) => {
    const tab = event.dataTransfer?.getData(TAB_KIND);
    const pane = event.dataTransfer?.getData(PANE_KIND);
    if (tab && tab !== to.tab_id) {
      there(() => session.client.call("tab.move", { tab_id: tab, to: to.index }));
    }
    if (pane) attempt(session.client.call("pane.move", { pane, tab_id: to.tab_id }));
  };
  const key = (event: KeyboardEvent, tab: Tab) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (event.key === "F2" && !about.read_only) onRenaming(tab.tab_id);
    else if (step !== undefined) {
      const buttons = (event.currentTarget as HTMLElement).parentElement?.children;
      (buttons?.[workspace.tabs.indexOf(tab) + step] as HTMLElement | undefined)?.focus();
    } else return;
    event.preventDefault();
  };
  return (
    <div class="tabs">
      <strong class="cut">{workspace.name}</strong>
      <div class="list" role="tablist" aria-label={`Tabs of ${workspace.name}`}>
        {workspace.tabs.map((tab) =>
          renaming === tab.tab_id ? (
            <Rename
              key={tab.tab_id}
              label="Name of the tab"
              longest={NAME_CHARACTERS}
              name={tab.name ?? ""}
              onDone={() => onRenaming(undefined)}
              onName={(name) =>
                there(() => session.client.call("tab.rename", { tab_id: tab.tab_id, name }))
              }
            />
          ) : (
            <TabButton
              key={tab.tab_id}
              onDrop={(event) => drop(event, tab)}
              onKey={(event) => key(event, tab)}
              onRename={() => onRenaming(tab.tab_id)}
              onShow={() => show(tab)}
              readOnly={about.read_only}
              selected={tab.index === shown.tab}
              tab={tab}
            />
          ),
        )}
      </div>
      {!about.read_only && (
        <NewTab
          onNew={() => there(() => session.client.call("tab.new"))}
          onPane={(pane) => attempt(session.client.call("pane.move", { pane, new_tab: true }))}
        />
      )}
      <span class="end">
        {children}
        {!about.read_only && (
          <button
            aria-label="Close tab"
            class="plain close"
            onClick={onCloseTab}
            title="Close tab"
            type="button"
          >
            <span aria-hidden="true">✕</span>
          </button>
        )}
      </span>
    </div>
  );
}

interface TabButtonProps {
  tab: Tab;
  selected: boolean;
  readOnly: boolean;
  onShow(): void;
  onRename(): void;
  onKey(event: KeyboardEvent): void;
  onDrop(event: DragEvent): void;
}

function TabButton({ tab, selected, readOnly, ...on }: TabButtonProps) {
  const [over, setOver] = useState(false);
  return (
    <button
      aria-selected={selected}
      class={over ? "plain over" : "plain"}
      draggable={!readOnly}
      onClick={on.onShow}
      onDblClick={() => !readOnly && on.onRename()}
      onDragLeave={() => setOver(false)}
      onDragOver={(event) => {
        if (!takes(event, TAB_KIND, PANE_KIND)) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragStart={(event) => event.dataTransfer?.setData(TAB_KIND, tab.tab_id)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        on.onDrop(event);
      }}
      onKeyDown={on.onKey}
      role="tab"
      tabIndex={selected ? 0 : -1}
      type="button"
    >
      {tab.name ?? `tab ${tab.index}`}
    </button>
  );
}

function NewTab({ onNew, onPane }: { onNew(): void; onPane(pane: string): void }) {
  return (
    <button
      aria-label="New tab"
      class="plain"
      onClick={onNew}
      onDragOver={(event) => takes(event, PANE_KIND) && event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        const pane = event.dataTransfer?.getData(PANE_KIND);
        if (pane) onPane(pane);
      }}
      title="New tab; a pane that is dropped here gets one of its own"
      type="button"
    >
      +
    </button>
  );
}

function takes(event: DragEvent, ...kinds: string[]): boolean {
  return kinds.some((kind) => event.dataTransfer?.types.includes(kind) === true);
}
