/** Which addresses may become links: those that open a page or a letter, and run nothing. Pure. */

const OPENS = /^(?:https?:\/\/|mailto:)/i;

/** Whether a link that somebody else wrote may be followed. */
export function mayOpen(address: string): boolean {
  return OPENS.test(address);
}
