import type { JSX } from 'preact';
import { call } from '../../api/client.js';
import type { Generation } from '../../api/schema.js';
import { useData } from '../../api/use-data.js';
import { Money } from '../../parts/money.js';
import { Shown } from '../../parts/states.js';
import { Table } from '../../parts/table.js';

const METRICS = [
  'usage_prompt',
  'usage_completion',
  'usage_tools',
  'total_usage',
  'usage_byok',
  'operator_cost',
] as const;
const DAY_MS = 86_400_000;

interface Row {
  readonly name: string;
  readonly tokens: string;
  readonly usd: number | null;
}

/** Cost of a generation, by class of tokens. */
export function Cost({ of }: { readonly of: Generation }): JSX.Element {
  const loaded = useData(`cost ${of.id}`, async (signal) => {
    const began = Date.parse(of.created_at);
    const second = (at: number): string => new Date(at).toISOString().replace(/\.\d+/, '');
    const body = {
      metrics: METRICS,
      filters: [{ field: 'generation_id', operator: 'eq', value: of.id }],
      time_range: { start: second(began - DAY_MS), end: second(began + DAY_MS) },
    } as const;
    return (await call('analyticsQuery', { body }, signal)).data.data[0] ?? {};
  });
  return (
    <section aria-labelledby="cost">
      <h2 id="cost">Cost</h2>
      <Shown of={loaded}>
        {(figures) => (
          <Table
            caption="Cost by class"
            hidesCaption
            columns={[
              { name: 'class', title: 'Class', cell: ({ name }) => name, sortBy: ({ name }) => name },
              {
                name: 'tokens',
                title: 'Amount',
                isNumber: true,
                cell: ({ tokens }) => tokens,
                sortBy: ({ tokens }) => tokens,
              },
              {
                name: 'usd',
                title: 'USD',
                isNumber: true,
                cell: ({ usd }) => <Money usd={usd} />,
                sortBy: ({ usd }) => usd,
              },
            ]}
            rows={rowsOf(of, figures)}
            csv="cost.csv"
            keyOf={({ name }) => name}
          />
        )}
      </Shown>
    </section>
  );
}

function rowsOf(of: Generation, figures: Readonly<Record<string, unknown>>): readonly Row[] {
  const usd = (name: (typeof METRICS)[number]): number | null => {
    const value = figures[name];
    return typeof value === 'number' ? value : null;
  };
  const tokens = (count: number, cached = 0): string =>
    `${count.toLocaleString('en')} tokens${cached > 0 ? `, ${cached.toLocaleString('en')} of them cached` : ''}`;
  const uses = (of.num_searches ?? 0) + (of.num_fetches ?? 0);
  return [
    {
      name: 'Prompt, list price',
      tokens: tokens(of.native_tokens_prompt, of.native_tokens_cached),
      usd: usd('usage_prompt'),
    },
    { name: 'Completion, list price', tokens: tokens(of.native_tokens_completion), usd: usd('usage_completion') },
    { name: 'Tools, list price', tokens: uses === 0 ? '–' : `${uses} uses`, usd: usd('usage_tools') },
    ...(of.is_byok ? [{ name: 'Own credential, list price', tokens: '–', usd: usd('usage_byok') }] : []),
    ...(usd('operator_cost') ? [{ name: 'Borne by the operator', tokens: '–', usd: usd('operator_cost') }] : []),
    { name: 'Charged', tokens: '–', usd: of.usage },
  ];
}
