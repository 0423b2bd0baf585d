import type { JSX } from 'preact';
import { call } from '../../api/client.js';
import { useData } from '../../api/use-data.js';
import { Link } from '../../parts/link.js';
import { Empty } from '../../parts/states.js';
import { Table } from '../../parts/table.js';
import { Time } from '../../parts/time.js';
import { Panel, PANEL_EVERY_MS } from './panel.js';
import { today } from './today.js';

/** The providers that fail or limit now. */
export function ProvidersPanel(): JSX.Element {
  const loaded = useData('providers', async (signal) => (await call('providersList', {}, signal)).data, PANEL_EVERY_MS);
  return (
    <Panel title="Providers in trouble" note="the last half hour" of={loaded}>
      {(providers) => {
        const called = providers.filter(({ status }) => status !== 'unknown');
        const troubled = called.filter(({ status }) => status !== 'operational');
        if (troubled.length === 0)
          return (
            <Empty>
              {called.length === 0 ? 'No provider was called.' : `None of ${called.length} that were called.`}
            </Empty>
          );
        return (
          <Table
            caption="Providers in trouble"
            hidesCaption
            columns={[
              {
                name: 'provider',
                title: 'Provider',
                cell: ({ name, slug }) => (
                  <Link to="generations" parameters={{ provider: slug, from: today() }}>
                    {name}
                  </Link>
                ),
                sortBy: ({ name }) => name,
              },
              {
                name: 'status',
                title: 'State',
                cell: ({ status }) => <strong class={status === 'down' ? 'bad' : 'warn'}>{status}</strong>,
                sortBy: ({ status }) => status,
              },
              {
                name: 'fault',
                title: 'Last fault',
                wraps: true,
                cell: ({ last_fault: fault }) =>
                  fault && (
                    <>
                      {fault.kind}
                      {fault.status !== undefined && ` (${fault.status})`}, <Time at={fault.at} withZone />
                    </>
                  ),
              },
            ]}
            rows={troubled}
            csv="providers-in-trouble.csv"
            keyOf={({ slug }) => slug}
          />
        );
      }}
    </Panel>
  );
}
