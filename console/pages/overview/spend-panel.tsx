import type { JSX } from 'preact';
import { call } from '../../api/client.js';
import type { Activity } from '../../api/schema.js';
import { useData } from '../../api/use-data.js';
import { ROOT } from '../../app/base.js';
import { Chart } from '../../parts/chart.js';
import { Link } from '../../parts/link.js';
import { exactUsd, Money, shortUsd } from '../../parts/money.js';
import { Copy } from '../../parts/named-id.js';
import { Empty } from '../../parts/states.js';
import { Table } from '../../parts/table.js';
import { Panel, PANEL_EVERY_MS } from './panel.js';
import { hoursOfToday, printHour, today } from './today.js';

/** Models that are listed; the others are one row. */
const MODELS_SHOWN = 8;

interface Sums {
  readonly usage: number;
  readonly requests: number;
  readonly errors: number;
  readonly tokens: number;
}

/** Panel with the spend of the account today, by hour and by model. */
export function SpendPanel(): JSX.Element {
  const loaded = useData(
    'spend',
    async (signal) => {
      const query = { from: today(), granularity: 'hour', group_by: 'model' } as const;
      return (await call('activityList', { query }, signal)).data;
    },
    PANEL_EVERY_MS,
  );
  return (
    <Panel title="Spend" note="today, UTC" of={loaded}>
      {(rows) => (rows.length === 0 ? <NothingYet /> : <Spend rows={rows} />)}
    </Panel>
  );
}

function Spend({ rows }: { readonly rows: readonly Activity[] }): JSX.Element {
  const hours = hoursOfToday();
  const byHour = hours.map((hour) => sumOf(rows.filter(({ date }) => Date.parse(date) === hour)));
  const all = sumOf(rows);
  return (
    <>
      <dl class="tiles">
        <Tile name="Charged">
          <Money usd={all.usage} />
        </Tile>
        <Tile name="Requests">{all.requests.toLocaleString('en')}</Tile>
        <Tile name="Errors">{all.errors.toLocaleString('en')}</Tile>
        <Tile name="Tokens">{all.tokens.toLocaleString('en')}</Tile>
      </dl>
      <Chart
        title="USD by hour"
        momentName="Hour (UTC)"
        moments={hours}
        series={[{ name: 'Charged', values: byHour.map(({ usage }) => usage || null), form: 'bars' }]}
        print={shortUsd}
        printExactly={exactUsd}
        printMoment={printHour}
      />
      <Models rows={rows} />
    </>
  );
}

const Tile = ({ name, children }: { readonly name: string; readonly children: JSX.Element | string }): JSX.Element => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

interface ModelRow extends Sums {
  /** Null: all models that have no row of their own. */
  readonly model: string | null;
}

function Models({ rows }: { readonly rows: readonly Activity[] }): JSX.Element {
  const models = [...Map.groupBy(rows, ({ model }) => model ?? '')]
    .map(([model, of]): ModelRow => ({ model, ...sumOf(of) }))
    .toSorted((one, other) => other.usage - one.usage || other.requests - one.requests);
  const others = models.slice(MODELS_SHOWN);
  const shown: readonly ModelRow[] =
    others.length === 0 ? models : [...models.slice(0, MODELS_SHOWN), { model: null, ...addUp(others) }];
  return (
    <Table
      caption="By model"
      columns={[
        {
          name: 'model',
          title: 'Model',
          cell: ({ model }) =>
            model === null ? (
              `${others.length} others`
            ) : (
              <Link to="generations" parameters={{ model, from: today() }}>
                {model}
              </Link>
            ),
          sortBy: ({ model }) => model,
        },
        {
          name: 'usage',
          title: 'Charged',
          isNumber: true,
          cell: ({ usage }) => <Money usd={usage} />,
          sortBy: ({ usage }) => usage,
        },
        {
          name: 'requests',
          title: 'Requests',
          isNumber: true,
          cell: ({ requests }) => requests.toLocaleString('en'),
          sortBy: ({ requests }) => requests,
        },
        {
          name: 'errors',
          title: 'Errors',
          isNumber: true,
          cell: ({ errors }) => errors.toLocaleString('en'),
          sortBy: ({ errors }) => errors,
        },
        {
          name: 'tokens',
          title: 'Tokens',
          isNumber: true,
          cell: ({ tokens }) => tokens.toLocaleString('en'),
          sortBy: ({ tokens }) => tokens,
        },
      ]}
      rows={shown}
      csv="spend-by-model.csv"
      keyOf={({ model }) => model ?? '\0'}
    />
  );
}

const sumOf = (rows: readonly Activity[]): Sums =>
  addUp(
    rows.map(({ usage, requests, errors = 0, prompt_tokens: prompt, completion_tokens: completion }) => ({
      usage,
      requests,
      errors,
      tokens: prompt + completion,
    })),
  );

const addUp = (rows: readonly Sums[]): Sums =>
  rows.reduce(
    (sum, one) => ({
      usage: sum.usage + one.usage,
      requests: sum.requests + one.requests,
      errors: sum.errors + one.errors,
      tokens: sum.tokens + one.tokens,
    }),
    { usage: 0, requests: 0, errors: 0, tokens: 0 },
  );

function NothingYet(): JSX.Element {
  const address = new URL('api/v1/messages', ROOT).href;
  const line = `curl ${address} -H "authorization: Bearer $FAIRLEAD_API_KEY" -H 'content-type: application/json' -d '{"model":"sandbox/echo","max_tokens":64,"messages":[{"role":"user","content":"Hello"}]}'`;
  return (
    <Empty>
      <p>No request was settled today. Send one; the model sandbox/echo needs no provider:</p>
      <pre class="command" tabIndex={0}>
        {line}
      </pre>
      <Copy text={line}>Copy the command</Copy>
    </Empty>
  );
}
