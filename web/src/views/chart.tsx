/** How much the screens changed in the last hour, minute by minute. */

import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";

import "uplot/dist/uPlot.min.css";
import { useNow, useSession } from "../state/hooks.js";
import { MINUTES } from "../state/timeline.js";

const HEIGHT = 96;

export function OutputChart() {
  const { timeline } = useSession();
  const minute = Math.floor(useNow(5_000) / 60_000);
  const element = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);

  useEffect(() => {
    const target = element.current;
    if (target === null) return;
    const style = getComputedStyle(document.documentElement);
    const quiet = style.getPropertyValue("--quiet");
    const chart = new uPlot(
      {
        width: target.clientWidth,
        height: HEIGHT,
        cursor: { show: false },
        legend: { show: false },
        axes: [{ stroke: quiet, grid: { show: false }, ticks: { show: false } }, { show: false }],
        series: [
          {},
          { stroke: style.getPropertyValue("--working"), width: 1, points: { show: false } },
        ],
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

  const current = timeline.output.get(minute);
  useEffect(() => {
    const times = Array.from({ length: MINUTES }, (_, back) => minute - MINUTES + 1 + back);
    plot.current?.setData([
      times.map((time) => time * 60),
      times.map((time) => timeline.output.get(time) ?? 0),
    ]);
  }, [minute, current, timeline]);

  return (
    <section class="chart" aria-label="Screen changes in the last hour">
      <h2>screen changes, last hour</h2>
      <div ref={element} />
    </section>
  );
}
