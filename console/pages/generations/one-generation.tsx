import type { JSX } from 'preact';
import { useKeyNames } from '../../api/key-names.js';
import { call } from '../../api/client.js';
import type { Generation } from '../../api/schema.js';
import { useData } from '../../api/use-data.js';
import { useWorkspaceNames } from '../../api/workspace-names.js';
import { Link } from '../../parts/link.js';
import { Money } from '../../parts/money.js';
import { Copy, NamedId } from '../../parts/named-id.js';
import { Shown } from '../../parts/states.js';
import { Duration, Time } from '../../parts/time.js';
import { Attempts } from './attempts.js';
import { Cost } from './cost.js';
import { Decision } from './decision.js';
import { Outcome } from './generation-list.js';

/** Page of one request: its calls, its cost, and its routing decision. */
export function OneGeneration({ id }: { readonly id: string }): JSX.Element {
  const loaded = useData(id, async (signal) => (await call('generationShow', { query: { id } }, signal)).data);
  return (
    <>
      <p>
        <Link to="generations">Generations</Link>
      </p>
      <h1 tabIndex={-1}>
        Generation <code class="id">{id}</code>
      </h1>
      <Shown of={loaded}>
        {(one) => (
          <>
            <Facts of={one} />
            <Attempts of={one} />
            <Cost of={one} />
            <Decision of={one.decision} />
            <Raw of={one} />
          </>
        )}
      </Shown>
    </>
  );
}

function Facts({ of: one }: { readonly of: Generation }): JSX.Element {
  const names = useKeyNames();
  const workspaces = useWorkspaceNames();
  const facts: readonly (readonly [string, JSX.Element | string | null])[] = [
    ['Time', <Time at={one.created_at} withZone />],
    ['Outcome', <Outcome of={one} />],
    ['Error', one.error_type],
    ['Model', <bdi>{one.model}</bdi>],
    ['Requested', one.requested_model === one.model ? null : <bdi>{one.requested_model}</bdi>],
    ['At the provider', one.upstream_model],
    ['Provider', one.provider_name ?? one.provider],
    ['Interface', `${one.api}${one.streamed ? ', streamed' : ''}`],
    [
      'Key',
      <Link to="generations" parameters={{ key: one.key }}>
        <NamedId id={one.key} name={names.get(one.key)} />
      </Link>,
    ],
    ['User', filtered('user', one.user)],
    ['Member', one.member],
    ['Session', filtered('session_id', one.session_id)],
    ['Workspace', <NamedId id={one.workspace_id} name={workspaces.get(one.workspace_id)} />],
    [
      'Tags',
      one.tags &&
        Object.entries(one.tags)
          .map(([name, value]) => `${name}=${value}`)
          .join(', '),
    ],
    ['Request', one.request_id && <code>{one.request_id}</code>],
    ['First word', <Duration ms={one.latency} />],
    ['Whole reply', <Duration ms={one.generation_time} />],
    ['End', one.native_finish_reason ?? one.finish_reason],
    ['Charged', <Money usd={one.usage} />],
  ];
  return (
    <dl class="facts columns">
      {facts.map(
        ([name, value]) =>
          value !== null && (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

/** A value with a link to all requests that share it. */
const filtered = (name: string, value: string | null): JSX.Element | null =>
  value === null ? null : (
    <Link to="generations" parameters={{ [name]: value }}>
      <bdi class="name">{value}</bdi>
    </Link>
  );

function Raw({ of }: { readonly of: Generation }): JSX.Element {
  const text = JSON.stringify(of, null, 2);
  return (
    <section aria-labelledby="raw">
      <h2 id="raw">Record</h2>
      <Copy text={text}>Copy the JSON</Copy>
      <details>
        <summary>JSON</summary>
        <pre tabIndex={0}>{text}</pre>
      </details>
    </section>
  );
}
