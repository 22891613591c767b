/** How numbers, times and paths are shown; what is not known is a dash, never 0. */

export const UNKNOWN = "–";

/** A duration as people say it: `12s`, `3m`, `2h`, `4d`. */
export function age(since: number | undefined, now: number): string {
  if (since === undefined) return UNKNOWN;
  const seconds = Math.max(0, Math.floor((now - since) / 1000));
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}

/** A count in three digits: `950`, `1.2k`, `88k`, `1.2M`. */
export function count(value: number | undefined): string {
  if (value === undefined) return UNKNOWN;
  if (value < 1_000) return String(value);
  for (const [unit, size] of [
    ["G", 1e9],
    ["M", 1e6],
    ["k", 1e3],
  ] as const) {
    const scaled = value / size;
    if (scaled >= 1) return `${scaled < 10 ? scaled.toFixed(1) : Math.floor(scaled)}${unit}`;
  }
  return String(value);
}

/** An amount of money with two digits. */
export function money(dollars: number | undefined): string {
  return dollars === undefined ? UNKNOWN : `$${dollars.toFixed(2)}`;
}

/** What something costs an hour. */
export function hourly(dollars: number | undefined): string {
  return dollars === undefined ? UNKNOWN : `${money(dollars)}/h`;
}

/** A moment, to the second, as people of this place write it. */
export function exact(at: number): string {
  return new Date(at).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "medium" });
}

/** The end of a path, which is what tells folders apart. */
export function shortPath(path: string, length = 32): string {
  if (path.length <= length) return path;
  const parts = path.split("/");
  let kept = parts.pop() ?? "";
  for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
    if (kept.length + part.length + 3 > length) break;
    kept = `${part}/${kept}`;
  }
  return `…/${kept}`;
}
