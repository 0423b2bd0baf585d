import type { JSX } from 'preact';
import { call } from '../../api/client.js';
import type { Model, Provider } from '../../api/schema.js';
import { useData } from '../../api/use-data.js';
import { Link } from '../../parts/link.js';
import { Empty, Shown } from '../../parts/states.js';
import { Table } from '../../parts/table.js';
import { Time } from '../../parts/time.js';
import { modelColumns } from '../models/model-columns.js';
import { loadDay, type HourOfProvider } from './day.js';
import { credentialOf, DayOfProvider, policyOf, ProviderState } from './provider-parts.js';

const OWN_MAX = '100';

interface Whole {
  readonly provider: Provider | undefined;
  readonly hours: readonly HourOfProvider[] | undefined;
  readonly own: number;
  readonly models: readonly Model[];
}

/** Page of one provider: its state, its data policy, its credentials, and its models. */
export function OneProvider({ slug }: { readonly slug: string }): JSX.Element {
  const loaded = useData(`provider ${slug}`, async (signal): Promise<Whole> => {
    const { data } = await call('providersList', {}, signal);
    const provider = data.find((one) => one.slug === slug);
    if (!provider) return { provider, hours: undefined, own: 0, models: [] };
    const [day, own, models] = await Promise.all([
      loadDay(signal),
      call('byokList', { query: { provider: slug, limit: OWN_MAX } }, signal),
      provider.routable ? call('modelsList', { query: { providers: slug } }, signal) : { data: [] },
    ]);
    return { provider, hours: day.get(slug), own: own.total_count, models: models.data };
  });
  return (
    <>
      <p>
        <Link to="providers">Providers</Link>
      </p>
      <Shown of={loaded} title="Provider">
        {({ provider, hours, own, models }) =>
          provider ? (
            <>
              <h1 tabIndex={-1}>{provider.name}</h1>
              <Facts of={provider} own={own} />
              <section aria-labelledby="day">
                <h2 id="day">The last 24 hours</h2>
                {hours ? (
                  <div class="wide">
                    <DayOfProvider hours={hours} hasTable />
                    <p>
                      <Link to="generations" parameters={{ provider: slug }}>
                        Its generations
                      </Link>
                    </p>
                  </div>
                ) : (
                  <Empty>No request ended at it.</Empty>
                )}
              </section>
              <section aria-labelledby="models">
                <h2 id="models">Models</h2>
                {models.length === 0 ? (
                  <Empty>It serves no model of the catalog.</Empty>
                ) : (
                  <Table
                    caption="Models"
                    hidesCaption
                    columns={modelColumns}
                    rows={models}
                    keyOf={({ id }) => id}
                    csv={`models-of-${slug}.csv`}
                  />
                )}
              </section>
            </>
          ) : (
            <>
              <h1 tabIndex={-1}>No such provider</h1>
              <Empty>Neither the catalog nor the published API has a provider {slug}.</Empty>
            </>
          )
        }
      </Shown>
    </>
  );
}

function Facts({ of: one, own }: { readonly of: Provider; readonly own: number }): JSX.Element {
  const { endpoints, data_policy: policy, last_fault: fault } = one;
  const facts: readonly (readonly [string, JSX.Element | string | null])[] = [
    ['Slug', <code>{one.slug}</code>],
    ['Now', <ProviderState of={one} />],
    ['Requests can be sent', one.routable ? 'yes' : `no: ${one.reason}`],
    [
      'Endpoints',
      `${endpoints.operational} well, ${endpoints.rate_limited} limited, ${endpoints.failing} failing, ${endpoints.unknown} not called`,
    ],
    ['Answered, half an hour', one.uptime_last_30m === null ? null : `${one.uptime_last_30m} %`],
    [
      'Last fault',
      fault && (
        <>
          {fault.kind}
          {fault.status !== undefined && ` (${fault.status})`} at {fault.model}, <Time at={fault.at} withZone />
        </>
      ),
    ],
    ['Credential of', credentialOf(one, own)],
    ['Contents', policyOf(one)],
    ['Region', policy.region],
  ];
  return (
    <>
      <dl class="facts columns">
        {facts
          .filter(([, value]) => value)
          .map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
      </dl>
      <p>
        <Link to="byok" parameters={{ provider: one.slug }}>
          Own credentials for it
        </Link>
      </p>
    </>
  );
}
