import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../../api/client.js';
import type { WholeKey } from '../../api/schema.js';
import { useData } from '../../api/use-data.js';
import { useWorkspaceNames } from '../../api/workspace-names.js';
import { ClientLines } from '../../parts/client-lines.js';
import { EditForm } from '../../parts/edit-form.js';
import { Link } from '../../parts/link.js';
import { Money } from '../../parts/money.js';
import { Copy, NamedId } from '../../parts/named-id.js';
import { Shown } from '../../parts/states.js';
import { Time } from '../../parts/time.js';
import { KeyActions } from './key-actions.js';
import { changeableFields } from './key-fields.js';
import { KeySpend } from './key-spend.js';
import { KeyState } from './key-state.js';
import { Secrets } from './secrets.js';

/** Page of one key: its spend, its limits, and all actions on it. */
export function OneKey({ hash }: { readonly hash: string }): JSX.Element {
  const loaded = useData(hash, async (signal) => (await call('keysShow', { path: { hash } }, signal)).data);
  const [changed, setChanged] = useState<WholeKey>();
  return (
    <>
      <p>
        <Link to="keys">Keys</Link>
      </p>
      <Shown of={loaded} title="Key">
        {(read) => {
          const key = changed ?? read;
          const renew = (next: WholeKey): void => setChanged(next);
          return (
            <>
              <h1 tabIndex={-1}>
                Key <bdi>{key.name}</bdi>
              </h1>
              <Facts of={key} />
              <KeySpend of={key} />
              <section aria-labelledby="limits">
                <h2 id="limits">What it may do</h2>
                <EditForm
                  fields={changeableFields(key.kind)}
                  of={key}
                  name={`the key “${key.name}”`}
                  read={async () => (await call('keysShow', { path: { hash } })).data}
                  save={async (body) => (await call('keysUpdate', { path: { hash }, body })).data}
                  saved={renew}
                />
              </section>
              <Secrets of={key} renew={renew} />
              {key.kind === 'inference' && (
                <section aria-labelledby="clients">
                  <h2 id="clients">Clients</h2>
                  <p class="hint">Lines for a terminal in which FAIRLEAD_API_KEY is set to the secret.</p>
                  <ClientLines />
                </section>
              )}
              <KeyActions of={key} renew={renew} />
            </>
          );
        }}
      </Shown>
    </>
  );
}

function Facts({ of: key }: { readonly of: WholeKey }): JSX.Element {
  const workspaces = useWorkspaceNames();
  const facts: readonly (readonly [string, JSX.Element | string | null])[] = [
    ['State', <KeyState of={key} />],
    ['Kind', `${key.kind}${key.is_workspace_bound ? ', bound to its workspace' : ''}`],
    ['Spent today', <Money usd={key.usage_daily} />],
    ['Spent in all', <Money usd={key.usage} />],
    ['Left of the limit', key.limit === null ? 'no limit' : <Money usd={key.limit_remaining} />],
    ['Held by open calls', key.limit_held > 0 ? <Money usd={key.limit_held} /> : null],
    [
      'Raised',
      key.limit_raise && (
        <>
          by <Money usd={key.limit_raise.amount_usd} /> until <Time at={key.limit_raise.until} withZone />
        </>
      ),
    ],
    ['Own credentials', key.byok_usage > 0 ? <Money usd={key.byok_usage} /> : null],
    ['Last used', <Time at={key.last_used_at} withZone />],
    ['Owner', key.creator_user_id && <bdi>{key.creator_user_id}</bdi>],
    ['External user', key.external_user && <bdi>{key.external_user}</bdi>],
    ['Workspace', <NamedId id={key.workspace_id} name={workspaces.get(key.workspace_id)} />],
    ['Created', <Time at={key.created_at} withZone />],
    ['Changed', key.updated_at && <Time at={key.updated_at} withZone />],
    ['Expires', key.expires_at ? <Time at={key.expires_at} withZone /> : 'never'],
  ];
  return (
    <>
      <dl class="facts columns">
        {facts
          .filter(([, value]) => value !== null && value !== '')
          .map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
      </dl>
      <div class="toolbar">
        <Link to="generations" parameters={{ key: key.hash }}>
          Its generations
        </Link>
        <Copy text={key.hash}>Copy the id</Copy>
      </div>
    </>
  );
}
