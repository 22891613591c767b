/** Which keys a dialog on an agent's screen asks for, read from its text as it stands. Pure. */

export interface Choice {
  /** A key as `press` takes it. */
  key: string;
  /** What the dialog says that it does; empty when it says nothing. */
  label: string;
  /** Of an entry of a menu that is walked by arrows: how far below the marked one it is. */
  move?: number;
}

const LABEL = 40;
/** Frames and pointers around an option: they say nothing. */
const DECORATION = /^[\s│┃║|❯›>→▸➜▶●○◯•*]+|[\s│┃║|]+$/gu;
/** The entry of a menu that enter would take. */
const MARKED = /^[\s│┃║]*[❯›→▸➜]\s+(\S.*)$/u;
const SIDEWAYS = /[⇆↔]|←\s*\/?\s*→/u;
const DECORATION_BEFORE = /^[\s│┃║❯›→▸➜]+/u;
/** Entries that a menu may have: one digit each. */
const MENU = 9;
const OPTION = /^\[?([1-9])(?:[.):]|\])\s+(\S.*)$/u;
const YES_OR_NO = /[[(]\s*y(?:es)?\s*[/|]\s*n(?:o)?\b/iu;
const ENTER = /\b(?:enter|return)\b(?! your)/iu;
const ESCAPE: Choice = { key: "escape", label: "" };

/** For a dialog whose choices are not recognized. */
export const USUAL: readonly Choice[] = ["1", "2", "3", "y", "n", "enter", "escape"].map((key) => ({
  key,
  label: "",
}));

/** Return what the last dialog of a screen offers, its way out last. */
export function choices(screen: string): readonly Choice[] {
  const lines = screen.split("\n").map((line) => line.replace(DECORATION, ""));
  const found = numbered(lines);
  const rest = lines.slice(-4).join("\n");
  if (found.length === 0 && YES_OR_NO.test(rest)) {
    found.push({ key: "y", label: "yes" }, { key: "n", label: "no" });
  }
  if (found.length === 0) found.push(...menu(screen.split("\n")));
  if (found.length === 0 && ENTER.test(rest)) {
    // Which entry is marked is told by colour alone: a person sees it in the pane.
    if (SIDEWAYS.test(rest)) found.push({ key: "left", label: "←" }, { key: "right", label: "→" });
    found.push({ key: "enter", label: "" });
  }
  return found.length === 0 ? USUAL : [...found, ESCAPE];
}

/** The last run of options that counts from 1. */
function numbered(lines: readonly string[]): Choice[] {
  let run: Choice[] = [];
  for (const line of lines) {
    const [, key, label] = OPTION.exec(line) ?? [];
    if (key === undefined || label === undefined) continue;
    if (key === "1") run = [];
    if (Number(key) === run.length + 1) run.push({ key, label: cut(label) });
  }
  return run.length > 1 ? run : [];
}

/** The entries around the last marked one; a mark with nothing beside it is a prompt, no menu. */
function menu(lines: readonly string[]): Choice[] {
  const at = lines.findLastIndex((line) => MARKED.test(line));
  const marked = lines[at];
  if (marked === undefined) return [];
  const label = (line: string) => line.replace(DECORATION, "");
  const column = marked.length - marked.replace(DECORATION_BEFORE, "").length;
  const beside = (line: string | undefined) =>
    line !== undefined &&
    /^[\s│┃║]*$/u.test(line.slice(0, column)) &&
    /\S/u.test(line[column] ?? "");
  let [first, last] = [at, at];
  while (beside(lines[first - 1])) first -= 1;
  while (beside(lines[last + 1])) last += 1;
  if (first === last || last - first >= MENU) return [];
  return lines.slice(first, last + 1).map((line, index) => ({
    key: String(index + 1),
    label: cut(label(line)),
    move: first + index - at,
  }));
}

function cut(label: string): string {
  return label.length <= LABEL ? label : `${label.slice(0, LABEL - 1).trimEnd()}…`;
}
