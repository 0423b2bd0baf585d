import type { JSX } from 'preact';
import { call } from '../../api/client.js';
import { useData } from '../../api/use-data.js';
import { Link } from '../../parts/link.js';
import { Empty } from '../../parts/states.js';
import { Table } from '../../parts/table.js';
import { Panel, PANEL_EVERY_MS } from './panel.js';
import { today } from './today.js';

/** Panel with the number of errors that callers received today, by kind. */
export function ErrorsPanel(): JSX.Element {
  const loaded = useData(
    'errors',
    async (signal) => (await call('activityList', { query: { from: today(), group_by: 'error_type' } }, signal)).data,
    PANEL_EVERY_MS,
  );
  return (
    <Panel title="Errors" note="today, UTC" of={loaded}>
      {(rows) => {
        const errors = rows.flatMap(({ error_type: kind, requests }) => (kind ? [{ kind, requests }] : []));
        const all = rows.reduce((sum, { requests }) => sum + requests, 0);
        if (errors.length === 0) return <Empty>{all === 0 ? 'No request today.' : `None of ${all} requests.`}</Empty>;
        return (
          <Table
            caption="Errors by kind"
            hidesCaption
            columns={[
              {
                name: 'kind',
                title: 'Kind',
                cell: ({ kind }) => (
                  <Link to="generations" parameters={{ error_type: kind, from: today() }}>
                    {kind}
                  </Link>
                ),
                sortBy: ({ kind }) => kind,
              },
              {
                name: 'requests',
                title: 'Requests',
                isNumber: true,
                cell: ({ requests }) => requests,
                sortBy: ({ requests }) => requests,
              },
              {
                name: 'share',
                title: 'Share',
                isNumber: true,
                cell: ({ requests }) => `${((100 * requests) / all).toFixed(1)} %`,
              },
            ]}
            rows={errors.toSorted((one, other) => other.requests - one.requests)}
            csv="errors.csv"
            keyOf={({ kind }) => kind}
          />
        );
      }}
    </Panel>
  );
}
