/** What can be done where the page is now: offered by a view, found in the palette. */

export interface Command {
  label: string;
  hint: string;
  act(): void;
}

const offers = new Set<() => readonly Command[]>();

/** Offer commands as long as a view is shown; returns what takes them back. */
export function offer(commands: () => readonly Command[]): () => void {
  offers.add(commands);
  return () => offers.delete(commands);
}

/** Return what is offered now. */
export function commands(): Command[] {
  return [...offers].flatMap((each) => each());
}
