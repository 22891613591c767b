/** When a paste is asked about first, and what a program offers for the clipboard. Pure. */

/** The longest paste that the server takes. */
export const PASTE_CHARACTERS = 262_144;
/** The longest text that a program may offer for the clipboard. */
export const OFFER_CHARACTERS = 100_000;

/** How many lines a paste would enter one by one; 0 when it needs no question. */
export function linesEntered(text: string, bracketed: boolean): number {
  if (bracketed) return 0;
  const lines = text.split(/\r\n|\r|\n/);
  return lines.length > 1 ? lines.length - (lines.at(-1) === "" ? 1 : 0) : 0;
}

/**
 * Return the text of an OSC 52 that sets the clipboard; undefined when it asks for the clipboard,
 * clears it, is too long or is no text. What somebody has copied is never told to a program.
 */
export function offered(data: string): string | undefined {
  const payload = data.slice(data.indexOf(";") + 1);
  if (payload === "?" || payload === "" || payload.length > OFFER_CHARACTERS * 2) return undefined;
  try {
    const bytes = Uint8Array.from(atob(payload), (character) => character.charCodeAt(0));
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return text.length > OFFER_CHARACTERS ? undefined : text;
  } catch {
    return undefined;
  }
}
