import type { JSX } from 'preact';
import { Table } from './table.js';

interface Point {
  readonly at: string;
  readonly value: number;
  readonly bad?: number;
}

interface SparklineProps {
  /** Subject of the chart, with its sum: `Spend of 30 days: $1.20`. */
  readonly title: string;
  readonly momentName: string;
  /** Bars in their order. */
  readonly points: readonly Point[];
  /** Name of the bad part of a value: `errors`. */
  readonly badName?: string;
  readonly print: (value: number) => string;
  /** Whether the numbers follow below, folded. */
  readonly hasTable?: boolean;
}

const WIDTH = 120;
const HEIGHT = 28;
const GAP = 1;

/** Figures over time as small bars, with their numbers as text. */
export function Sparkline({
  title,
  momentName,
  points,
  print,
  badName,
  hasTable = false,
}: SparklineProps): JSX.Element {
  const most = Math.max(...points.map(({ value }) => value), 0);
  const step = WIDTH / Math.max(1, points.length);
  const peak = points.find(({ value }) => value === most);
  const words = `${title}${most > 0 && peak ? `; most on ${peak.at}: ${print(most)}` : ''}`;
  return (
    <div class="sparkline">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={words} preserveAspectRatio="none">
        {points.map(({ at, value, bad = 0 }, place) => {
          const height = most > 0 ? Math.max(value > 0 ? 1.5 : 0.5, (value / most) * HEIGHT) : 0.5;
          const box = { x: place * step, width: Math.max(0.5, step - GAP) };
          const badHeight = bad > 0 ? Math.max(1.5, (bad / value) * height) : 0;
          return (
            <g key={at}>
              <rect {...box} y={HEIGHT - height} height={height} class={value > 0 ? 'some' : 'none'} />
              {badHeight > 0 && <rect {...box} y={HEIGHT - badHeight} height={badHeight} class="bad" />}
            </g>
          );
        })}
      </svg>
      {hasTable && (
        <details>
          <summary>Numbers</summary>
          <Table
            caption={title}
            hidesCaption
            columns={[
              { name: 'at', title: momentName, cell: ({ at }) => at, sortBy: ({ at }) => at },
              {
                name: 'value',
                title: 'Value',
                isNumber: true,
                cell: ({ value }) => print(value),
                sortBy: ({ value }) => value,
              },
              ...(badName === undefined
                ? []
                : [
                    {
                      name: 'bad',
                      title: badName,
                      isNumber: true,
                      cell: ({ bad = 0 }: Point) => print(bad),
                      sortBy: ({ bad = 0 }: Point) => bad,
                    },
                  ]),
            ]}
            rows={points}
            keyOf={({ at }) => at}
          />
        </details>
      )}
    </div>
  );
}
