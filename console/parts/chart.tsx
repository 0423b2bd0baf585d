import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type uPlot from 'uplot';
import { Table } from './table.js';

/** A row of figures over time. */
export interface Series {
  readonly name: string;
  /** A value for each moment; null: none. */
  readonly values: readonly (number | null)[];
  readonly form: 'bars' | 'line';
}

interface ChartProps {
  readonly title: string;
  /** Name of the moments: `Hour (UTC)`. */
  readonly momentName: string;
  /** Epoch milliseconds, ascending. */
  readonly moments: readonly number[];
  readonly series: readonly Series[];
  readonly print: (value: number) => string;
  /** Prints a value in the table; absent: as on the axis. */
  readonly printExactly?: (value: number) => string;
  readonly printMoment: (at: number) => string;
}

const HEIGHT = 180;
const HALF_SECONDS = 1_800;
/** Custom properties of the style sheet, by the place of a series. */
const COLOURS = ['--series-1', '--series-2', '--series-3'];

/** Figures over time as a picture, with all its numbers as a table. */
export function Chart(props: ChartProps): JSX.Element {
  const { title, momentName, moments, series, print, printExactly = print, printMoment } = props;
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => draw(place.current!, props), [JSON.stringify([moments, series])]);
  return (
    <figure class="chart">
      <figcaption>
        <span>{title}</span>
        <ul class="legend">
          {series.map(({ name }, at) => (
            <li key={name} class={`series-${at + 1}`}>
              {name}
            </li>
          ))}
        </ul>
      </figcaption>
      <div ref={place} class="canvas" aria-hidden="true" />
      <details>
        <summary>Numbers</summary>
        <Table
          caption={title}
          hidesCaption
          columns={[
            {
              name: 'moment',
              title: momentName,
              cell: (at: number) => printMoment(moments[at]!),
              sortBy: (at) => moments[at]!,
            },
            ...series.map(({ name, values }) => ({
              name,
              title: name,
              isNumber: true,
              cell: (at: number) => (typeof values[at] === 'number' ? printExactly(values[at]) : '–'),
              sortBy: (at: number) => values[at] ?? null,
            })),
          ]}
          rows={moments.map((_, at) => at)}
          keyOf={(at) => String(at)}
        />
      </details>
    </figure>
  );
}

/** Draws it, and anew where the scheme of the system changes. @returns how it ends */
function draw(place: HTMLElement, props: ChartProps): () => void {
  let plot: uPlot | undefined;
  let isOver = false;
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const paint = async (): Promise<void> => {
    const { default: Plot } = await import('uplot');
    if (isOver) return;
    plot?.destroy();
    plot = new Plot(
      optionsOf(place, props, Plot),
      [props.moments.map((at) => at / 1_000), ...props.series.map(({ values }) => [...values])],
      place,
    );
  };
  const repaint = (): void => void paint();
  const sizes = new ResizeObserver(() => plot?.setSize({ width: place.clientWidth, height: HEIGHT }));
  sizes.observe(place);
  dark.addEventListener('change', repaint);
  repaint();
  return () => {
    isOver = true;
    sizes.disconnect();
    dark.removeEventListener('change', repaint);
    plot?.destroy();
  };
}

function optionsOf(place: HTMLElement, { series, print }: ChartProps, Plot: typeof uPlot): uPlot.Options {
  const style = getComputedStyle(place);
  const colour = (name: string): string => style.getPropertyValue(name).trim();
  const axis = {
    stroke: colour('--ink-soft'),
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { show: false },
    font: '12px system-ui, sans-serif',
  };
  return {
    width: place.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { show: false },
    // Half an hour before and behind, so that nothing is cut at the edges.
    scales: {
      x: { time: true, range: (_, min, max) => [min - HALF_SECONDS, max + HALF_SECONDS] },
      y: { range: (_, __, max) => [0, max > 0 ? max * 1.1 : 1] },
    },
    tzDate: (at) => Plot.tzDate(new Date(at * 1_000), 'Etc/UTC'),
    axes: [
      {
        ...axis,
        values: (_, splits) => splits.map((at) => new Date(at * 1_000).toISOString().slice(11, 16)),
        space: 56,
        size: 28,
      },
      { ...axis, values: (_, splits) => splits.map((value) => print(value)), size: 64 },
    ],
    series: [
      {},
      ...series.map(({ form }, at) => {
        const stroke = colour(COLOURS[at % COLOURS.length]!);
        return form === 'bars'
          ? { stroke, fill: stroke, paths: Plot.paths.bars!({ size: [0.7, 40] }), points: { show: false } }
          : { stroke, width: 2, points: { show: true, size: 6, stroke, fill: stroke }, spanGaps: false };
      }),
    ],
  };
}
