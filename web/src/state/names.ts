/** How panes and workspaces are called, also after they are gone; bounded. */

import type { Snapshot } from "@luvus/client";

import type { Naming } from "./sentences.js";
import type { PaneInfo } from "./session.js";

/** Panes whose names are remembered. */
export const KNOWN = 2_000;

export class Names implements Naming {
  private panes = new Map<string, { name: string; workspace: string; agent: boolean }>();
  private workspaces: readonly string[] = [];

  /** Take what is there now. */
  learn(snapshot: Snapshot, panes: readonly PaneInfo[]): void {
    this.workspaces = snapshot.workspaces.map((workspace) => workspace.name);
    for (const pane of panes) {
      // Again at the end: the oldest names are forgotten first.
      this.panes.delete(pane.id);
      const name = pane.name ?? pane.agent ?? `pane ${pane.id}`;
      const agent = pane.agent !== undefined;
      this.panes.set(pane.id, { name, workspace: pane.workspaceName, agent });
    }
    for (const id of this.panes.keys()) {
      if (this.panes.size <= KNOWN) break;
      this.panes.delete(id);
    }
  }

  pane(id: string): string {
    return this.panes.get(id)?.name ?? `pane ${id}`;
  }

  isAgent(pane: string): boolean {
    return this.panes.get(pane)?.agent ?? false;
  }

  workspaceOf(pane: string): string | undefined {
    return this.panes.get(pane)?.workspace;
  }

  workspaceAt(index: number): string | undefined {
    return this.workspaces[index];
  }
}
