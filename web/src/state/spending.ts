/** What was used minute by minute, from what had been used in total. Pure. */

import type { MissionSample } from "@luvus/client";

/** Minutes that charts show. */
export const MINUTES = 60;

/** Tokens of each of the last minutes, the present one last. */
export function perMinute(history: readonly MissionSample[], minute: number): number[] {
  const spent = new Array<number>(MINUTES).fill(0);
  const first = minute - MINUTES + 1;
  history.forEach((sample, at) => {
    const before = history[at - 1];
    const place = sample.minute - first;
    if (before === undefined || place < 0 || place >= MINUTES) return;
    spent[place] = (spent[place] ?? 0) + Math.max(0, sample.tokens - before.tokens);
  });
  return spent;
}

/** Several series of the same minutes together. */
export function together(series: readonly (readonly number[])[]): number[] {
  return Array.from({ length: MINUTES }, (_, at) =>
    series.reduce((sum, one) => sum + (one[at] ?? 0), 0),
  );
}

/** A line through values as an SVG path, in a box of this size; flat when there is nothing. */
export function line(values: readonly number[], width: number, height: number): string {
  const most = Math.max(1, ...values);
  const step = width / Math.max(1, values.length - 1);
  return values
    .map((value, at) => {
      const y = height - (value / most) * height;
      return `${at === 0 ? "M" : "L"}${round(at * step)} ${round(y)}`;
    })
    .join("");
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
