import type { JSX } from 'preact';
import { call } from '../../api/client.js';
import type { Key } from '../../api/schema.js';
import { useData } from '../../api/use-data.js';
import { allDigits, exactUsd, shortUsd } from '../../parts/money.js';
import { Shown } from '../../parts/states.js';
import { Sparkline } from '../../parts/sparkline.js';

const DAYS = 30;
const DAY_MS = 86_400_000;

/** Spend of a key by day, of the last thirty days. */
export function KeySpend({ of: { hash, kind } }: { readonly of: Key }): JSX.Element | null {
  const days = lastDays();
  const loaded = useData(`spend ${hash}`, async (signal) => {
    if (kind !== 'inference') return [];
    const query = { key: hash, from: days[0], granularity: 'day', group_by: 'key' } as const;
    return (await call('activityList', { query }, signal)).data;
  });
  if (kind !== 'inference') return null;
  return (
    <section aria-labelledby="spend">
      <h2 id="spend">Spend of {DAYS} days</h2>
      <Shown of={loaded}>
        {(rows) => {
          const spent = new Map(rows.map(({ date, usage }) => [date.slice(0, 10), usage]));
          const points = days.map((at) => ({ at, value: spent.get(at) ?? 0 }));
          const all = points.reduce((sum, { value }) => sum + value, 0);
          return (
            <div class="wide">
              <p>
                <data value={String(all)} title={exactUsd(all)}>
                  {allDigits.value ? exactUsd(all) : shortUsd(all)}
                </data>{' '}
                charged, {rows.reduce((sum, { requests }) => sum + requests, 0).toLocaleString('en')} requests. Days are
                of UTC.
              </p>
              <Sparkline
                title={`Spend of ${DAYS} days: ${shortUsd(all)}`}
                momentName="Day (UTC)"
                points={points}
                print={exactUsd}
                hasTable
              />
            </div>
          );
        }}
      </Shown>
    </section>
  );
}

const lastDays = (): readonly string[] =>
  Array.from({ length: DAYS }, (_, at) => new Date(Date.now() - (DAYS - 1 - at) * DAY_MS).toISOString().slice(0, 10));
