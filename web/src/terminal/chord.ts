/** The one chord that a terminal does not get: programs of a terminal cannot see it anyway. */
export function isLeave(event: KeyboardEvent): boolean {
  return event.ctrlKey && !event.shiftKey && !event.altKey && event.key === ".";
}
