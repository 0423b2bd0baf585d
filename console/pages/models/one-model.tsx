import type { JSX } from 'preact';
import { call } from '../../api/client.js';
import type { Endpoint, ModelEndpoints, Pricing, Provider } from '../../api/schema.js';
import { useData } from '../../api/use-data.js';
import { Link } from '../../parts/link.js';
import { Money } from '../../parts/money.js';
import { Empty, Shown } from '../../parts/states.js';
import { Table, type Column } from '../../parts/table.js';
import { policyOf } from '../providers/provider-parts.js';
import { perMillion } from './model-columns.js';

const EVERY_MS = 30_000;

interface Row extends Endpoint {
  readonly slug: string;
  readonly provider: Provider | undefined;
}

/** Page of one model: its endpoints with their prices, policies and health. */
export function OneModel({ id }: { readonly id: string }): JSX.Element {
  const loaded = useData(
    `model ${id}`,
    async (signal) => {
      const [model, providers] = await Promise.all([
        call('modelListEndpoints', { path: pathOf(id) }, signal),
        call('providersList', {}, signal),
      ]);
      return { model: model.data, providers: new Map(providers.data.map((one) => [one.slug, one])) };
    },
    EVERY_MS,
  );
  return (
    <>
      <p>
        <Link to="models">Models</Link>
      </p>
      <h1 tabIndex={-1}>
        Model <code class="id">{id}</code>
      </h1>
      <p>
        <Link to="explain" parameters={{ model: id }}>
          Where a request for it would go
        </Link>
      </p>
      <Shown of={loaded}>{({ model, providers }) => <Endpoints of={model} providers={providers} />}</Shown>
    </>
  );
}

const pathOf = (id: string): { author: string; slug: string } => {
  const at = id.indexOf('/');
  return { author: id.slice(0, at), slug: id.slice(at + 1) };
};

interface EndpointsProps {
  readonly of: ModelEndpoints;
  readonly providers: ReadonlyMap<string, Provider>;
}

function Endpoints({ of: { endpoints }, providers }: EndpointsProps): JSX.Element {
  if (endpoints.length === 0) return <Empty>The catalog has no endpoint of it.</Empty>;
  const rows = endpoints.map((one): Row => {
    const slug = one.tag.split('/')[0]!;
    return { ...one, slug, provider: providers.get(slug) };
  });
  return (
    <>
      <section aria-labelledby="endpoints">
        <h2 id="endpoints">Endpoints</h2>
        <Table
          caption="Endpoints"
          hidesCaption
          columns={HEALTH}
          rows={rows}
          keyOf={({ tag }) => tag}
          csv="endpoints.csv"
        />
      </section>
      <section aria-labelledby="prices">
        <h2 id="prices">Prices</h2>
        <p class="hint">
          USD for a million tokens, and for a unit where the class is named so. Empty: as of the prompt or the
          completion.
        </p>
        <Table
          caption="Prices"
          hidesCaption
          columns={priceColumns(rows)}
          rows={rows}
          keyOf={({ tag }) => tag}
          csv="prices.csv"
        />
        <Longer rows={rows} />
      </section>
    </>
  );
}

const TAG: Column<Row> = {
  name: 'tag',
  title: 'Endpoint',
  isHeader: true,
  cell: ({ tag, slug }) => <Link to={`providers/${slug}`}>{tag}</Link>,
  sortBy: ({ tag }) => tag,
};

const share = (name: 'uptime_last_5m' | 'uptime_last_30m' | 'uptime_last_1d', title: string): Column<Row> => ({
  name,
  title,
  isNumber: true,
  cell: (row) => (row[name] === null ? '–' : `${row[name]} %`),
  sortBy: (row) => row[name],
});

const HEALTH: readonly Column<Row>[] = [
  TAG,
  {
    name: 'state',
    title: 'Now',
    cell: ({ status, uptime_last_1d: day }) =>
      status === undefined ? (
        <span class="bad">set back</span>
      ) : (
        <span class={day === null ? 'none' : 'good'}>{day === null ? 'not called' : 'well'}</span>
      ),
    sortBy: ({ status }) => status ?? -1,
  },
  share('uptime_last_30m', 'Answered, half an hour'),
  share('uptime_last_1d', 'Answered, a day'),
  {
    name: 'latency',
    title: 'First word',
    isNumber: true,
    cell: ({ latency_last_30m: latency }) => (latency ? `${Math.round(latency.p50)} ms` : '–'),
    sortBy: ({ latency_last_30m: latency }) => latency?.p50 ?? null,
  },
  {
    name: 'throughput',
    title: 'Tokens a second',
    isNumber: true,
    cell: ({ throughput_last_30m: throughput }) => (throughput ? Math.round(throughput.p50) : '–'),
    sortBy: ({ throughput_last_30m: throughput }) => throughput?.p50 ?? null,
  },
  {
    name: 'context',
    title: 'Context',
    isNumber: true,
    cell: ({ context_length: tokens }) => tokens.toLocaleString('en'),
    sortBy: ({ context_length: tokens }) => tokens,
  },
  {
    name: 'credential',
    title: 'Operator has a credential',
    cell: ({ provider }) => (provider?.needs_own_credential === false ? 'yes' : 'no'),
    sortBy: ({ provider }) => Number(provider?.needs_own_credential === false),
  },
  {
    name: 'policy',
    title: 'Contents',
    cell: ({ provider }) => (provider ? policyOf(provider) : '–'),
    sortBy: ({ provider }) => (provider ? policyOf(provider) : null),
  },
  {
    name: 'quantization',
    title: 'Quantization',
    cell: ({ quantization }) => quantization,
    sortBy: ({ quantization }) => quantization,
  },
];

type PriceName = Exclude<keyof Pricing, 'overrides'>;

const TOKEN_PRICES: readonly (readonly [PriceName, string])[] = [
  ['prompt', 'Prompt'],
  ['completion', 'Completion'],
  ['internal_reasoning', 'Reasoning'],
  ['input_cache_read', 'Cache read'],
  ['input_cache_write', 'Cache write'],
  ['input_cache_write_1h', 'Cache write, 1 h'],
  ['image_output', 'Image tokens'],
];
const UNIT_PRICES: readonly (readonly [PriceName, string])[] = [
  ['request', 'A request'],
  ['image', 'An image'],
  ['web_search', 'A web search'],
];

/** The classes that one of the endpoints has a price for. */
function priceColumns(rows: readonly Row[]): readonly Column<Row>[] {
  const column = (name: PriceName, title: string, read: (price: string | undefined) => number | null): Column<Row> => ({
    name,
    title,
    isNumber: true,
    cell: ({ pricing }) => <Money usd={read(pricing[name])} />,
    sortBy: ({ pricing }) => read(pricing[name]),
  });
  const unit = (price: string | undefined): number | null => (price === undefined ? null : Number(price));
  const isPriced = ([name]: readonly [PriceName, string]): boolean =>
    rows.some(({ pricing }) => pricing[name] !== undefined);
  return [
    TAG,
    ...TOKEN_PRICES.filter(isPriced).map(([name, title]) => column(name, title, perMillion)),
    ...UNIT_PRICES.filter(isPriced).map(([name, title]) => column(name, title, unit)),
  ];
}

/** Prices of longer prompts. */
function Longer({ rows }: { readonly rows: readonly Row[] }): JSX.Element | null {
  const longer = rows.flatMap(({ tag, pricing }) => (pricing.overrides ?? []).map((one) => ({ ...one, tag })));
  if (longer.length === 0) return null;
  return (
    <Table
      caption="Of longer prompts"
      csv="longer-prompts.csv"
      columns={[
        { name: 'tag', title: 'Endpoint', isHeader: true, cell: ({ tag }) => tag, sortBy: ({ tag }) => tag },
        {
          name: 'from',
          title: 'From tokens',
          isNumber: true,
          cell: ({ min_prompt_tokens: tokens }) => tokens.toLocaleString('en'),
          sortBy: ({ min_prompt_tokens: tokens }) => tokens,
        },
        {
          name: 'prompt',
          title: 'Prompt',
          isNumber: true,
          cell: ({ prompt }) => <Money usd={perMillion(prompt)} />,
          sortBy: ({ prompt }) => perMillion(prompt),
        },
        {
          name: 'completion',
          title: 'Completion',
          isNumber: true,
          cell: ({ completion }) => <Money usd={perMillion(completion)} />,
          sortBy: ({ completion }) => perMillion(completion),
        },
      ]}
      rows={longer}
      keyOf={({ tag, min_prompt_tokens: tokens }) => `${tag} ${tokens}`}
    />
  );
}
