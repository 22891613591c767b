/** The tabs of the workspace that is shown, and what can be done to them. */

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

import { usePage, useSession } from "../state/hooks.js";
import type { PaneInfo } from "../state/session.js";

export function Tabs({ shown, children }: { shown: PaneInfo; children: ComponentChildren }) {
  const session = useSession();
  const { about, go, say } = usePage();
  const [dragged, setDragged] = useState<number>();
  const [renaming, setRenaming] = useState<string>();
  const workspace = session.snapshot?.workspaces.find((one) => one.index === shown.workspace);
  if (workspace === undefined) return null;
  const attempt = (work: Promise<unknown>) => void work.catch((e: Error) => say(e.message));
  const show = (tab: (typeof workspace.tabs)[number]) => {
    const pane = tab.panes.find((one) => one.focused) ?? tab.panes[0];
    if (pane !== undefined) go({ place: "terminals", pane: pane.pane_id });
    // The server's tab methods speak of the active workspace.
  };
  const inWorkspace = async (act: () => Promise<unknown>) => {
    await session.client.call("workspace.focus", { workspace: workspace.index - 1 });
    await act();
  };
  const drop = (to: number) => {
    const from = dragged;
    setDragged(undefined);
    if (from === undefined || from === to) return;
    attempt(inWorkspace(() => session.client.call("tab.move", { tab: from, to } as never)));
  };
  return (
    <div class="tabs">
      <strong class="cut">{workspace.name}</strong>
      <div class="list" role="tablist" aria-label={`Tabs of ${workspace.name}`}>
        {workspace.tabs.map((tab) =>
          renaming === tab.tab_id ? (
            <input
              aria-label="Name of the tab"
              autoFocus
              defaultValue={tab.name ?? ""}
              key={tab.tab_id}
              maxLength={40}
              onBlur={() => setRenaming(undefined)}
              onKeyDown={(event) => {
                event.stopPropagation();
                if (event.key === "Escape") setRenaming(undefined);
                if (event.key !== "Enter") return;
                const name = event.currentTarget.value;
                setRenaming(undefined);
                attempt(
                  inWorkspace(() => session.client.call("tab.rename", { tab: tab.index, name })),
                );
              }}
            />
          ) : (
            <button
              aria-selected={tab.index === shown.tab}
              class="plain"
              draggable={!about.read_only}
              key={tab.tab_id}
              onClick={() => show(tab)}
              onDblClick={() => !about.read_only && setRenaming(tab.tab_id)}
              onDragOver={(event) => event.preventDefault()}
              onDragStart={() => setDragged(tab.index)}
              onDrop={() => drop(tab.index)}
              role="tab"
              type="button"
            >
              {tab.name ?? `tab ${tab.index}`}
            </button>
          ),
        )}
      </div>
      {!about.read_only && (
        <button
          aria-label="New tab"
          class="plain"
          onClick={() => attempt(inWorkspace(() => session.client.call("tab.new")))}
          type="button"
        >
          +
        </button>
      )}
      <span class="end">{children}</span>
    </div>
  );
}
