/** The colours of terminals: those of the page, read from its style. */

import type { ITheme } from "@xterm/xterm";

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

export function terminalTheme(): ITheme {
  const dark = isDark();
  const colours = (dark ? DARK : LIGHT).split(" ");
  const [background, foreground, cursor, selection, ...ansi] = colours;
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

/** Whether the page is dark now: as chosen, otherwise as the system is. */
export function isDark(): boolean {
  const chosen = document.documentElement.dataset["theme"];
  if (chosen !== undefined) return chosen === "dark";
  return matchMedia("(prefers-color-scheme: dark)").matches;
}

// Background, foreground, cursor, selection, then the sixteen.
const DARK =
  "#121214 #dcdce0 #dcdce0 #3b4252 #1f1f23 #f2777a #99cc99 #e6b450 #6fa8ff #d19ae8 #66cccc " +
  "#c8c8cd #6b6b74 #ff8f92 #b3e0b3 #ffd07a #93bfff #e3b5f5 #8ae3e3 #ffffff";
const LIGHT =
  "#ffffff #1c1c1f #1c1c1f #c9dcf8 #1c1c1f #b3261e #1b7034 #8a5a00 #1d55b8 #8a2f9e #0b6b75 " +
  "#6b6b74 #55555c #c9352c #238c43 #a46c00 #2563c9 #a13fb7 #0f8591 #1c1c1f";
