/** The thin title of a pane: what it is, and what can be done to it. Dragged, it moves the pane. */

import { shortPath } from "../state/format.js";
import { usePage, useSession } from "../state/hooks.js";
import { Rename, takeFocus } from "./rename.js";
import { State } from "./state.js";

export const TITLE_HEIGHT = 24;
/** The longest alias that the server takes. */
const NAME_CHARACTERS = 32;
/** What a dragged pane is called while it is dragged. */
export const PANE_KIND = "application/x-luvus-pane";

export interface TitleProps {
  id: string;
  name: string;
  /** The terminal's size, where it is not this window's. */
  size: string | undefined;
  renaming: boolean;
  searching: boolean;
  /** Where the search is, such as `3 of 17`. */
  found: string;
  asText: boolean;
  zoomed: boolean;
  narrow: boolean;
  onFind(text: string, backwards: boolean): void;
  onSearching(searching: boolean): void;
  onRenaming(renaming: boolean): void;
  onReadable(): void;
  onZoom(): void;
  onSplit(direction: "right" | "down"): void;
  onClose(): void;
}

export function Title(props: TitleProps) {
  const { about, session, say } = usePage();
  const info = useSession().pane(props.id);
  const rename = (name: string) =>
    session.client
      .call("pane.rename", { pane: props.id, name })
      .catch((error: Error) => say(error.message));
  return (
    <header
      draggable={!about.read_only && !props.renaming && !props.searching}
      onDragStart={(event) => event.dataTransfer?.setData(PANE_KIND, props.id)}
    >
      {info !== undefined && <State state={info.state} />}
      {props.renaming ? (
        <Rename
          label="Name of the pane"
          longest={NAME_CHARACTERS}
          name={info?.name ?? ""}
          onDone={() => props.onRenaming(false)}
          onName={(name) => void rename(name)}
        />
      ) : (
        <strong class="cut" onDblClick={() => !about.read_only && props.onRenaming(true)}>
          {props.name}
        </strong>
      )}
      <span class="quiet cut">{info && shortPath(info.cwd)}</span>
      <span class="quiet cut">{info?.branch && `⎇ ${info.branch}`}</span>
      <span class="end" />
      {props.size !== undefined && (
        <span class="quiet size" title="Another window decides the size of this terminal.">
          {props.size}
        </span>
      )}
      {props.searching && <Search {...props} />}
      <Acts {...props} readOnly={about.read_only} />
    </header>
  );
}

function Search({ found, onFind, onSearching }: TitleProps) {
  return (
    <>
      <span aria-live="polite" class="quiet">
        {found}
      </span>
      <input
        aria-label="Search in this pane"
        onInput={(event) => onFind(event.currentTarget.value, false)}
        onKeyDown={(event) => {
          if (event.key === "Escape") onSearching(false);
          if (event.key === "Enter") onFind(event.currentTarget.value, event.shiftKey);
        }}
        placeholder="search"
        ref={takeFocus}
      />
    </>
  );
}

function Acts(props: TitleProps & { readOnly: boolean }) {
  return (
    <>
      <Act
        rare
        label="Search"
        onAct={() => props.onSearching(!props.searching)}
        pressed={props.searching}
        sign="⌕"
      />
      <Act rare label="Show as text" onAct={props.onReadable} pressed={props.asText} sign="≡" />
      {!props.readOnly && (
        <>
          {!props.narrow && (
            <Act label="Zoom" onAct={props.onZoom} pressed={props.zoomed} sign="⤢" />
          )}
          <Act rare label="Split to the right" onAct={() => props.onSplit("right")} sign="◫" />
          <Act rare label="Split downwards" onAct={() => props.onSplit("down")} sign="⬓" />
          <Act label="Close" onAct={props.onClose} sign="✕" />
        </>
      )}
    </>
  );
}

interface ActProps {
  label: string;
  sign: string;
  /** Left out where there is little room. */
  rare?: boolean;
  pressed?: boolean;
  onAct(): void;
}

function Act({ label, sign, rare, pressed, onAct }: ActProps) {
  return (
    <button
      aria-label={label}
      aria-pressed={pressed}
      class={rare ? "plain rare" : "plain"}
      onClick={onAct}
      title={label}
      type="button"
    >
      <span aria-hidden="true">{sign}</span>
    </button>
  );
}
