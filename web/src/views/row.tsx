/** One agent of the overview, and below it what its screen shows. */

import { useLayoutEffect } from "preact/hooks";

import { LuxePeek, LuxePrompt } from "../luxe/place.js";
import { count, money, shortPath, UNKNOWN } from "../state/format.js";
import type { Answering } from "../state/answering.js";
import { usePage } from "../state/hooks.js";
import type { Row } from "../state/rows.js";
import type { PaneInfo } from "../state/session.js";
import { Answers, useAnswering } from "./answers.js";
import { PromptLine } from "./attention.js";
import { lastOf, Lines, Peek } from "./peek.js";
import { Spark } from "./spark.js";
import { Age, State } from "./state.js";

const PEEK_LINES = 16;
const COLUMNS = 7;

export type Open = "peek" | "prompt";

interface RowProps {
  row: Row;
  /** The present minute since 1970. */
  minute: number;
  selected: boolean;
  open: Open | undefined;
  onOpen(): void;
  onClose(): void;
  onDismiss(): void;
  /** What answers the dialog of its pane, as long as its screen is open. */
  onAnswering(answering: Answering | undefined): void;
}

export function AgentRow(props: RowProps) {
  const { row, minute, selected, open, onOpen } = props;
  return (
    <>
      <tr aria-selected={selected} onClick={onOpen}>
        <td class="agent">
          <strong>{row.name}</strong> <span class="quiet">{row.detail}</span>
          {row.title !== undefined && (
            <span class="title" title={row.title}>
              {" "}
              {row.title}
            </span>
          )}
        </td>
        <td class="where" title={row.folder}>
          {row.workspaceName}{" "}
          <span class="quiet">{row.branch ? `⎇ ${row.branch}` : shortPath(row.folder, 24)}</span>
        </td>
        <td class="doing">
          {row.state === "unknown" ? (
            <span class="quiet">{UNKNOWN}</span>
          ) : (
            <>
              <State named state={row.state} />{" "}
              <span class="quiet number">
                <Age since={row.since} />
              </span>
            </>
          )}
        </td>
        <td class="spent">
          <Spark minute={minute} row={row} />
        </td>
        <td class="number">{count(row.tokens)}</td>
        <td class="number cost">{money(row.cost)}</td>
        <td class="number">{money(row.burn)}</td>
      </tr>
      {open !== undefined && <Opened {...props} open={open} />}
    </>
  );
}

function Opened({ row, open, onClose, onDismiss, onAnswering }: RowProps & { open: Open }) {
  return (
    <tr class="peek">
      <td colSpan={COLUMNS}>
        {row.luxe !== undefined && <LuxePeek row={row.luxe} />}
        {row.pane !== undefined && (
          <Screen blocked={row.state === "blocked"} onAnswering={onAnswering} pane={row.pane} />
        )}
        {row.text !== undefined && (
          <>
            <Lines narrow={false} text={lastOf(row.text, PEEK_LINES) || "(its screen was empty)"} />
            <button onClick={onDismiss} type="button">
              put away <kbd>x</kbd>
            </button>
          </>
        )}
        {open === "prompt" && row.luxe !== undefined && (
          <LuxePrompt onDone={onClose} row={row.luxe} />
        )}
        {open === "prompt" && row.pane !== undefined && (
          <PromptLine onDone={onClose} pane={row.pane} />
        )}
      </td>
    </tr>
  );
}

interface ScreenProps {
  pane: PaneInfo;
  blocked: boolean;
  onAnswering(answering: Answering | undefined): void;
}

/** What a pane shows, and what its dialog offers, each with its key. */
function Screen({ pane, blocked, onAnswering }: ScreenProps) {
  const { about } = usePage();
  const answering = useAnswering(pane);
  useLayoutEffect(() => {
    onAnswering(answering);
    return () => onAnswering(undefined);
  }, [answering]);
  return (
    <>
      <Peek
        lines={PEEK_LINES}
        onShown={(revision, text) => answering.see(revision, text)}
        pane={pane.id}
      />
      {blocked && !about.read_only && (
        <div aria-busy={answering.busy} class="answers">
          <Answers answering={answering} />
        </div>
      )}
    </>
  );
}
