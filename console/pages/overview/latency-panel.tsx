import type { JSX } from 'preact';
import { call } from '../../api/client.js';
import { useData } from '../../api/use-data.js';
import { Chart } from '../../parts/chart.js';
import { Empty } from '../../parts/states.js';
import { shortDuration } from '../../parts/time.js';
import { Panel, PANEL_EVERY_MS } from './panel.js';
import { hoursOfToday, printHour, today } from './today.js';

const METRICS = ['p50_latency', 'p90_latency'] as const;

/** Panel with the time that callers waited for the first word today. */
export function LatencyPanel(): JSX.Element {
  const loaded = useData(
    'latency',
    async (signal) => {
      const range = {
        start: `${today()}T00:00:00Z`,
        end: new Date(Date.now() + 1_000).toISOString().replace(/\.\d+/, ''),
      };
      const body = { metrics: METRICS, granularity: 'hour', time_range: range } as const;
      return (await call('analyticsQuery', { body }, signal)).data.data;
    },
    PANEL_EVERY_MS,
  );
  return (
    <Panel title="Time to the first word" note="today, UTC" of={loaded}>
      {(rows) => {
        const hours = hoursOfToday();
        const byHour = new Map(rows.map((row) => [Date.parse(String(row['date'])), row]));
        const valuesOf = (metric: string): (number | null)[] =>
          hours.map((hour) => (byHour.get(hour)?.[metric] as number | null | undefined) ?? null);
        if (rows.length === 0) return <Empty>No request today.</Empty>;
        return (
          <Chart
            title="By hour"
            momentName="Hour (UTC)"
            moments={hours}
            series={[
              { name: 'Half of the requests', values: valuesOf('p50_latency'), form: 'line' },
              { name: '9 of 10 requests', values: valuesOf('p90_latency'), form: 'line' },
            ]}
            print={shortDuration}
            printMoment={printHour}
          />
        );
      }}
    </Panel>
  );
}
