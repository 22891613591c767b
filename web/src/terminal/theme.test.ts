/** Whatever a theme says, what is written is readable. */

import { describe, expect, test } from "vitest";

import { AA, contrast, mix, readable } from "../state/colour.js";
import { type SessionTheme, themed } from "./theme.js";

const ANSI = [
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
const HUES = ["accent", "green", "mint", "amber", "coral"];
const TEXTS = ["text", "subtext0", "subtext1"];

function theme(base: string, colour: string | null, appearance: "dark" | "light"): SessionTheme {
  const colors = Object.fromEntries([...HUES, ...TEXTS].map((name) => [name, colour]));
  return { id: "t", appearance, colors: { ...colors, base, sel_bg: null } };
}

describe("a theme", () => {
  test.each([
    ["#000000", "#000000", "dark"],
    ["#ffffff", "#ffffff", "light"],
    ["#2e3440", "#4c566a", "dark"],
    ["#777777", "#777777", "dark"],
    ["#7a2121", "#c23621", "dark"],
    ["#fdf6e3", "#93a1a1", "light"],
    ["#101010", null, "dark"],
    ["#f0f0f0", null, "light"],
  ] as const)("of %s on %s (%s) is readable in a terminal", (base, colour, appearance) => {
    for (const dark of [true, false]) {
      const colours = themed(theme(base, colour, appearance), dark);
      const faint = ANSI.filter((name) => contrast(colours[name]!, base) < AA);
      expect(faint).toEqual([]);
      expect(contrast(colours.foreground!, base)).toBeGreaterThanOrEqual(AA);
    }
  });

  test("that is readable keeps its colours", () => {
    const colours = themed(theme("#282a36", "#50fa7b", "dark"), true);

    expect([colours.green, colours.background, colours.foreground]).toEqual([
      "#50fa7b",
      "#282a36",
      "#50fa7b",
    ]);
  });
});

describe("a colour", () => {
  test("is mixed and measured", () => {
    expect(mix("#000000", "#ffffff", 0.5)).toBe("#808080");
    expect(contrast("#000000", "#ffffff")).toBeCloseTo(21, 5);
    expect(readable("#102030", "#000000")).not.toBe("#102030");
    expect(readable("#ffffff", "#000000")).toBe("#ffffff");
  });
});
