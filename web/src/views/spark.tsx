/** A small line of what one agent has used, minute by minute. */

import { count } from "../state/format.js";
import { line, perMinute } from "../state/spending.js";
import type { Row } from "../state/rows.js";

const WIDTH = 64;
const HEIGHT = 14;

export function Spark({ row, minute }: { row: Row; minute: number }) {
  if (row.history === undefined) return null;
  const spent = perMinute(row.history, minute);
  const total = spent.reduce((a, b) => a + b, 0);
  return (
    <svg
      aria-label={`${count(total)} tokens in the last hour`}
      class="spark"
      height={HEIGHT + 2}
      role="img"
      viewBox={`0 -1 ${WIDTH} ${HEIGHT + 2}`}
      width={WIDTH}
    >
      <path d={line(spent, WIDTH, HEIGHT)} />
    </svg>
  );
}
