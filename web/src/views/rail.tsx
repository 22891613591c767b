/** The workspaces and who is in them, always at hand. */

import { usePage, useSession } from "../state/hooks.js";
import { State } from "./state.js";

export function Rail({ onFind }: { onFind(): void }) {
  const session = useSession();
  const { go, route } = usePage();
  return (
    <aside class="rail" aria-label="Workspaces">
      <button class="find" onClick={onFind} type="button">
        find <kbd>ctrl K</kbd>
      </button>
      <h2>workspaces</h2>
      <ul>
        {session.snapshot?.workspaces.map((workspace) => (
          <li key={workspace.workspace_id}>
            <div class="cut" title={workspace.cwd}>
              {workspace.name}{" "}
              <span class="quiet">{workspace.branch && `⎇ ${workspace.branch}`}</span>
            </div>
            <ul class="panes">
              {session.panes
                .filter((pane) => pane.workspace === workspace.index)
                .map((pane) => (
                  <li key={pane.id}>
                    <button
                      aria-current={route.pane === pane.id ? "true" : undefined}
                      class="plain"
                      onClick={() => go({ place: "terminals", pane: pane.id })}
                      type="button"
                    >
                      <State state={pane.state} />
                      <span class="cut">{pane.name ?? pane.agent ?? `shell ${pane.id}`}</span>
                    </button>
                  </li>
                ))}
            </ul>
          </li>
        ))}
      </ul>
    </aside>
  );
}
