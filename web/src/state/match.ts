/** How well a text fits what somebody typed; 0 when it does not. */

/** Every letter has to occur in order; runs and beginnings of words count more. */
export function score(query: string, text: string): number {
  const wanted = query.toLowerCase().replaceAll(" ", "");
  const lower = text.toLowerCase();
  // A word that begins as it was typed is meant, wherever its letters occur before.
  const whole = query.toLowerCase().trim();
  let points = 1 + (` ${lower}`.includes(` ${whole}`) ? 8 * whole.length : 0);
  let from = 0;
  let previous = -2;
  for (const letter of wanted) {
    const at = lower.indexOf(letter, from);
    if (at < 0) return 0;
    const begins = at === 0 || /[^a-z0-9]/.test(lower[at - 1] ?? "");
    points += at === previous + 1 ? 6 : begins ? 4 : 1;
    previous = at;
    from = at + 1;
  }
  return points + 20 / (10 + lower.length);
}
