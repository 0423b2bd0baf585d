import type { JSX } from 'preact';
import { call } from '../../api/client.js';
import type { Key } from '../../api/schema.js';
import { useData } from '../../api/use-data.js';
import { Link } from '../../parts/link.js';
import { Money } from '../../parts/money.js';
import { NamedId } from '../../parts/named-id.js';
import { Empty } from '../../parts/states.js';
import { Table } from '../../parts/table.js';
import { Panel, PANEL_EVERY_MS } from './panel.js';

const READ_MAX = '100';
const SHOWN_MAX = 5;

/** The keys that come to their limits next: of those that were used last. */
export function LimitsPanel(): JSX.Element {
  const loaded = useData(
    'limits',
    async (signal) =>
      (await call('keysList', { query: { sort: 'last_used_at', limit: READ_MAX, disabled: 'false' } }, signal)).data,
    PANEL_EVERY_MS,
  );
  return (
    <Panel title="Runs out next" note="limits of keys" of={loaded}>
      {(keys) => {
        const limited = keys.filter(({ limit, limit_remaining: left }) => limit !== null && left !== null);
        if (limited.length === 0) return <Empty>No key in use has a limit.</Empty>;
        return (
          <Table
            caption="Keys by what is left of their limits"
            hidesCaption
            columns={[
              {
                name: 'key',
                title: 'Key',
                cell: ({ hash, name }) => (
                  <Link to="generations" parameters={{ key: hash }}>
                    <NamedId id={hash} name={name} />
                  </Link>
                ),
                sortBy: ({ name }) => name,
              },
              {
                name: 'left',
                title: 'Left',
                isNumber: true,
                cell: ({ limit_remaining: left }) => <Money usd={left} />,
                sortBy: ({ limit_remaining: left }) => left,
              },
              { name: 'limit', title: 'Limit', isNumber: true, cell: (key) => <Limit of={key} /> },
              {
                name: 'share',
                title: 'Used',
                isNumber: true,
                cell: (key) => `${Math.round(100 * usedOf(key))} %`,
                sortBy: usedOf,
              },
            ]}
            rows={limited.toSorted((one, other) => usedOf(other) - usedOf(one)).slice(0, SHOWN_MAX)}
            csv="limits.csv"
            keyOf={({ hash }) => hash}
          />
        );
      }}
    </Panel>
  );
}

const Limit = ({ of: { limit, limit_reset: reset } }: { readonly of: Key }): JSX.Element => (
  <>
    <Money usd={limit} /> {reset ?? 'in all'}
  </>
);

const usedOf = ({ limit, limit_remaining: left }: Key): number => (limit ? 1 - (left ?? 0) / limit : 1);
