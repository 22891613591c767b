/** How many tokens all agents used in the last hour, minute by minute. */

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import uPlot from "uplot";

import "uplot/dist/uPlot.min.css";
import { count } from "../state/format.js";
import { useMinute, useSession } from "../state/hooks.js";
import { MINUTES, perMinute, together } from "../state/spending.js";
import { isDark, onRecolour } from "../terminal/theme.js";

const HEIGHT = 96;

export function TokensChart() {
  const { rows } = useSession();
  const minute = useMinute();
  const [dark, setDark] = useState(isDark);
  // A canvas does not follow the colours by itself.
  useEffect(() => onRecolour(() => setDark(isDark())), []);
  const spent = useMemo(
    () => together(rows.map((row) => perMinute(row.history ?? [], minute))),
    [rows, minute],
  );
  const total = spent.reduce((a, b) => a + b, 0);
  // A flat line says nothing.
  if (total === 0) return null;
  return (
    <section class="chart" aria-label={`Tokens, last hour: ${count(total)}`}>
      <h2>
        tokens, last hour <span class="number">· {count(total)}</span>
      </h2>
      <Plot key={String(dark)} minute={minute} spent={spent} />
    </section>
  );
}

function Plot({ minute, spent }: { minute: number; spent: readonly number[] }) {
  const element = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);
  useEffect(() => {
    const target = element.current;
    if (target === null) return;
    const style = getComputedStyle(document.documentElement);
    const quiet = style.getPropertyValue("--quiet");
    const line = style.getPropertyValue("--line");
    const chart = new uPlot(
      {
        width: target.clientWidth,
        height: HEIGHT,
        cursor: { show: false },
        legend: { show: false },
        scales: { y: { range: (_plot, _least, most) => [0, Math.max(1, most)] } },
        axes: [
          {
            stroke: quiet,
            grid: { show: false },
            ticks: { show: false },
            space: 72,
            values: (_plot, seconds) => seconds.map(clock),
          },
          {
            stroke: quiet,
            grid: { stroke: line, width: 1 },
            ticks: { show: false },
            values: (_plot, values) => values.map((value) => count(value)),
            size: 48,
            splits: (_plot, _axis, _least, most) => [0, most],
          },
        ],
        series: [{}, { stroke: quiet, fill: line, width: 1, points: { show: false } }],
      },
      [[], []],
      target,
    );
    plot.current = chart;
    const sized = new ResizeObserver(() =>
      chart.setSize({ width: target.clientWidth, height: HEIGHT }),
    );
    sized.observe(target);
    return () => {
      sized.disconnect();
      chart.destroy();
    };
  }, []);

  useEffect(() => {
    const times = Array.from({ length: MINUTES }, (_, at) => (minute - MINUTES + 1 + at) * 60);
    plot.current?.setData([times, [...spent]]);
  }, [minute, spent]);
  return <div aria-hidden="true" ref={element} />;
}

function clock(seconds: number): string {
  const time = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
  return new Date(seconds * 1_000).toLocaleTimeString(undefined, time);
}
