/**
 * The colours of terminals and the page's accent: those of the session's theme, or the page's own
 * when the session has none. Where a theme is not readable, its nearest readable colour is taken.
 */

import type { ITheme } from "@xterm/xterm";

import { mix, readable } from "../state/colour.js";

/** A theme of the session as the server tells it; a colour is null where the theme leaves it. */
export interface SessionTheme {
  id: string;
  appearance: "dark" | "light";
  colors: Readonly<Record<string, string | null>>;
}

const NAMES = [
  "black",
  "red",
  "green",
  "yellow",
  "blue",
  "magenta",
  "cyan",
  "white",
  "brightBlack",
  "brightRed",
  "brightGreen",
  "brightYellow",
  "brightBlue",
  "brightMagenta",
  "brightCyan",
  "brightWhite",
] as const;
/** The second surface of the page, light and dark: what is readable on it is so on the first. */
const SURFACES = ["#f5f5f6", "#202024"] as const;

let current: SessionTheme | undefined;
const listeners = new Set<() => void>();

/** Take a theme of the session, or none, and recolour everything that is shown. */
export function wear(theme: SessionTheme | undefined): void {
  current = theme;
  const style = document.documentElement.style;
  const accent = theme?.colors["accent"];
  const base = theme?.colors["base"];
  const set = (name: string, value: string | undefined) =>
    value === undefined ? style.removeProperty(name) : style.setProperty(name, value);
  const [onLight, onDark] = SURFACES.map((on) => accent && readable(accent, on));
  set("--accent", accent ? `light-dark(${onLight}, ${onDark})` : undefined);
  set("--terminal", base ?? undefined);
  for (const listener of listeners) listener();
}

/** Call back when terminals have other colours; returns what stops it. */
export function onRecolour(listener: () => void): () => void {
  const scheme = matchMedia("(prefers-color-scheme: dark)");
  listeners.add(listener);
  scheme.addEventListener("change", listener);
  return () => {
    listeners.delete(listener);
    scheme.removeEventListener("change", listener);
  };
}

/** Return the colours of terminals now. */
export function terminalTheme(): ITheme {
  return current === undefined ? named(isDark() ? DARK : LIGHT) : themed(current, isDark());
}

/** Return the colours that a terminal has in a theme; `dark` is how the page is. */
export function themed({ appearance, colors }: SessionTheme, dark: boolean): ITheme {
  const light = appearance === "light";
  const own = (dark ? DARK : LIGHT).split(" ");
  const background = colors["base"] ?? own[0]!;
  const text = readable(colors["text"] ?? own[1]!, background);
  const state = (name: string, at: number) => readable(colors[name] ?? own[at]!, background);
  const accent = state("accent", 8);
  const hues = [
    state("coral", 5),
    state("green", 6),
    state("amber", 7),
    accent,
    readable(mix(colors["coral"] ?? own[5]!, colors["accent"] ?? own[8]!, 0.5), background),
    state("mint", 10),
  ];
  const faint = readable(colors["subtext0"] ?? own[12]!, background);
  const [black, white] = light
    ? [text, faint]
    : [colors["surface0"] ?? own[4]!, readable(colors["subtext1"] ?? own[11]!, background)];
  const bright = hues.map((hue) => readable(mix(hue, text, 0.3), background));
  return named(
    [
      background,
      text,
      accent,
      colors["sel_bg"] ?? own[3]!,
      black,
      ...hues,
      white,
      faint,
      ...bright,
      text,
    ].join(" "),
  );
}

/** Whether the page is dark now: as chosen, otherwise as the system is. */
export function isDark(): boolean {
  const chosen = document.documentElement.dataset["theme"];
  if (chosen !== undefined) return chosen === "dark";
  return matchMedia("(prefers-color-scheme: dark)").matches;
}

function named(colours: string): ITheme {
  const [background, foreground, cursor, selection, ...ansi] = colours.split(" ");
  const theme: Record<string, string | undefined> = {
    background,
    foreground,
    cursor,
    cursorAccent: background,
    selectionBackground: selection,
  };
  NAMES.forEach((name, at) => {
    theme[name] = ansi[at];
  });
  return theme as ITheme;
}

// Background, foreground, cursor, selection, then the sixteen.
export const DARK =
  "#121214 #dcdce0 #dcdce0 #3b4252 #1f1f23 #f2777a #99cc99 #e6b450 #6fa8ff #d19ae8 #66cccc " +
  "#c8c8cd #6b6b74 #ff8f92 #b3e0b3 #ffd07a #93bfff #e3b5f5 #8ae3e3 #ffffff";
export const LIGHT =
  "#ffffff #1c1c1f #1c1c1f #c9dcf8 #1c1c1f #b3261e #1b7034 #8a5a00 #1d55b8 #8a2f9e #0b6b75 " +
  "#6b6b74 #55555c #c9352c #238c43 #a46c00 #2563c9 #a13fb7 #0f8591 #1c1c1f";
