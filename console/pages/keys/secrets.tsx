import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../../api/client.js';
import type { WholeKey } from '../../api/schema.js';
import { ClientLines } from '../../parts/client-lines.js';
import { Confirm } from '../../parts/dialog.js';
import { SecretOnce } from '../../parts/secret-once.js';
import { Table } from '../../parts/table.js';
import { Time } from '../../parts/time.js';

type FormerSecret = WholeKey['former_secrets'][number];

/** Times for which former secrets stay valid after a rotation. */
const GRACES = [
  [0, 'at once'],
  [3_600, 'in an hour'],
  [86_400, 'in a day'],
  [604_800, 'in a week'],
] as const;

interface SecretsProps {
  readonly of: WholeKey;
  readonly renew: (key: WholeKey) => void;
}

/** The secrets of a key: another one in its place, and those that still work beside it. */
export function Secrets({ of: key, renew }: SecretsProps): JSX.Element {
  const [isRotating, setRotating] = useState(false);
  const [ending, setEnding] = useState<FormerSecret>();
  const [secret, setSecret] = useState<string>();
  const { hash } = key;
  return (
    <section aria-labelledby="secrets">
      <h2 id="secrets">Secrets</h2>
      <p>
        The latest one is <code>{key.label}</code>.
      </p>
      {key.former_secrets.length > 0 && (
        <Table
          caption="Former secrets that still work"
          columns={[
            {
              name: 'label',
              title: 'Secret',
              isHeader: true,
              cell: ({ label, id }) => <code>{label ?? id.slice(0, 8)}</code>,
              sortBy: ({ label, id }) => label ?? id,
            },
            {
              name: 'ends',
              title: 'Ends',
              cell: ({ expires_at: at }) => <Time at={at} withZone />,
              sortBy: ({ expires_at: at }) => at,
            },
            {
              name: 'end',
              title: 'Action',
              cell: (one) => (
                <button type="button" class="quiet" onClick={() => setEnding(one)}>
                  End now<span class="unseen">: {one.label}</span>
                </button>
              ),
            },
          ]}
          rows={key.former_secrets}
          csv="former-secrets.csv"
          keyOf={({ id }) => id}
        />
      )}
      <div class="buttons">
        <button type="button" onClick={() => setRotating(true)}>
          Rotate
        </button>
      </div>
      {isRotating && (
        <Rotation
          of={key}
          made={(next, made) => {
            renew(next);
            setSecret(made);
          }}
          close={() => setRotating(false)}
        />
      )}
      {ending && (
        <Confirm
          title="End this former secret?"
          action="End it"
          act={async () => {
            await call('keysEndSecret', { path: { hash, id: ending.id } });
            renew((await call('keysShow', { path: { hash } })).data);
          }}
          close={() => setEnding(undefined)}
        >
          <p>
            Programs that still send <code>{ending.label}</code> get 401 within seconds.
          </p>
        </Confirm>
      )}
      {secret !== undefined && (
        <SecretOnce title="The key has another secret" secret={secret} close={() => setSecret(undefined)}>
          {key.kind === 'inference' && <ClientLines secret={secret} />}
        </SecretOnce>
      )}
    </section>
  );
}

interface RotationProps {
  readonly of: WholeKey;
  readonly made: (key: WholeKey, secret: string) => void;
  readonly close: () => void;
}

function Rotation({ of: { hash, name, former_secrets: former }, made, close }: RotationProps): JSX.Element {
  const [grace, setGrace] = useState(GRACES[2][0] as number);
  return (
    <Confirm
      title="Rotate this key?"
      action="Rotate"
      act={async () => {
        const { data, key } = await call('keysRotate', { path: { hash }, body: { grace_seconds: grace } });
        made(data, key);
      }}
      close={close}
    >
      <p>
        <bdi>{name}</bdi> gets another secret. Its id, its limits and its history stay.
        {former.length > 0 && ' Former secrets end with the grace at the latest.'}
      </p>
      <label for="grace">The present secret ends</label>
      <select id="grace" value={String(grace)} onChange={({ currentTarget }) => setGrace(Number(currentTarget.value))}>
        {GRACES.map(([seconds, words]) => (
          <option key={seconds} value={seconds}>
            {words}
          </option>
        ))}
      </select>
    </Confirm>
  );
}
