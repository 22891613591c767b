/** The keys that a phone lacks, as the bytes which a program of this mode expects. Pure. */

export type BarKey = "esc" | "tab" | "left" | "up" | "down" | "right";

const PLAIN: Record<"esc" | "tab", string> = { esc: "\x1b", tab: "\t" };
const ARROWS: Record<Exclude<BarKey, "esc" | "tab">, string> = {
  up: "A",
  down: "B",
  right: "C",
  left: "D",
};

/** Return what a key sends; `application` is the mode that full-screen programs switch on. */
export function sequence(key: BarKey, application: boolean, control: boolean): string {
  if (key === "esc" || key === "tab") return PLAIN[key];
  const letter = ARROWS[key];
  if (control) return `\x1b[1;5${letter}`;
  return `\x1b${application ? "O" : "["}${letter}`;
}

/** Return what the first character of a text sends together with the control key. */
export function controlled(text: string): string {
  const [first = "", ...rest] = text;
  const upper = first.toUpperCase();
  const code = upper.charCodeAt(0);
  if (first === " ") return `\x00${rest.join("")}`;
  if (first === "?") return `\x7f${rest.join("")}`;
  // From @ to _: every other character is what it is without the key.
  if (upper.length === 1 && code >= 0x40 && code <= 0x5f) {
    return String.fromCharCode(code & 0x1f) + rest.join("");
  }
  return text;
}
