import type { JSX } from 'preact';
import { useProviderNames } from '../../api/provider-names.js';
import type { Generation } from '../../api/schema.js';
import { Money } from '../../parts/money.js';
import { Empty } from '../../parts/states.js';
import { Table } from '../../parts/table.js';
import { Duration, shortDuration } from '../../parts/time.js';

type Attempt = Generation['attempts'][number] & { readonly place: number };

/** The narrowest bar, in percent: a call of no time is seen too. */
const WIDTH_MIN = 0.5;

/** The calls of providers in their order, each at its time. */
export function Attempts({ of }: { readonly of: Generation }): JSX.Element {
  const attempts = of.attempts.map((one, at): Attempt => ({ ...one, place: at + 1 }));
  const span = spanOf(attempts);
  const names = useProviderNames();
  const providerOf = ({ provider }: Attempt): string | null =>
    provider === null ? null : (names.get(provider) ?? provider);
  return (
    <section aria-labelledby="attempts">
      <h2 id="attempts">Attempts</h2>
      {attempts.length === 0 ? (
        <Empty>No provider was called.</Empty>
      ) : (
        <Table
          caption="Attempts"
          hidesCaption
          columns={[
            { name: 'place', title: 'No.', isNumber: true, cell: ({ place }) => place, sortBy: ({ place }) => place },
            {
              name: 'provider',
              title: 'Provider',
              cell: (one) => providerOf(one) ?? '–',
              sortBy: providerOf,
            },
            { name: 'model', title: 'Model', cell: ({ model }) => model ?? '–', sortBy: ({ model }) => model },
            {
              name: 'outcome',
              title: 'Outcome',
              cell: ({ fault, status }) => (
                <span class={fault === null ? 'good' : 'bad'}>
                  {fault ?? 'answered'}
                  {status !== null && ` (${status})`}
                </span>
              ),
              sortBy: ({ fault }) => fault ?? 'answered',
            },
            {
              name: 'time',
              title: 'When',
              cell: (one) => <Bar of={one} span={span} />,
              sortBy: ({ started_at: at }) => at,
            },
            {
              name: 'took',
              title: 'Took',
              isNumber: true,
              cell: ({ duration_ms: took }) => <Duration ms={took} />,
              sortBy: ({ duration_ms: took }) => took,
            },
            {
              name: 'cost',
              title: 'Cost',
              isNumber: true,
              cell: ({ cost }) => <Money usd={cost} />,
              sortBy: ({ cost }) => cost,
            },
          ]}
          rows={attempts}
          csv="attempts.csv"
          keyOf={({ place }) => String(place)}
        />
      )}
    </section>
  );
}

interface Span {
  readonly begin: number;
  readonly length: number;
}

function Bar({
  of: { started_at: at, duration_ms: took, fault },
  span,
}: {
  readonly of: Attempt;
  readonly span: Span;
}): JSX.Element {
  if (at === null) return <span class="none">–</span>;
  const begin = Date.parse(at) - span.begin;
  const share = (ms: number): number => (100 * ms) / span.length;
  const left = Math.min(share(begin), 100 - WIDTH_MIN);
  const width = Math.max(WIDTH_MIN, Math.min(share(took ?? 0), 100 - left));
  return (
    <div class="track" role="img" aria-label={`began after ${shortDuration(begin)}`}>
      <div class={fault === null ? 'bar-good' : 'bar-bad'} style={{ left: `${left}%`, width: `${width}%` }} />
    </div>
  );
}

function spanOf(attempts: readonly Attempt[]): Span {
  const timed = attempts.filter(({ started_at: at }) => at !== null);
  const begin = Math.min(...timed.map(({ started_at: at }) => Date.parse(at!)));
  const end = Math.max(...timed.map(({ started_at: at, duration_ms: took }) => Date.parse(at!) + (took ?? 0)));
  return { begin, length: Math.max(1, end - begin) };
}
