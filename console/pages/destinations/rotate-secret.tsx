import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../../api/client.js';
import type { Destination } from '../../api/schema.js';
import { Dialog } from '../../parts/dialog.js';
import { NewForm } from '../../parts/form.js';
import type { Field } from '../../parts/form-fields.js';
import { SecretOnce } from '../../parts/secret-once.js';
import { secretOf } from './destination-fields.js';

const FIELDS: readonly Field[] = [
  {
    name: 'grace_seconds',
    label: 'The present secret signs as well',
    kind: 'choice',
    options: [
      { value: '0', label: 'no longer' },
      { value: '3600', label: 'for an hour' },
      { value: '86400', label: 'for a day' },
      { value: '604800', label: 'for a week' },
    ],
  },
];

interface RotateSecretProps {
  readonly of: Destination;
  readonly renew: (destination: Destination) => void;
}

/** Another secret for a webhook, which is shown once. */
export function RotateSecret({ of: destination, renew }: RotateSecretProps): JSX.Element {
  const [isRotating, setRotating] = useState(false);
  const [secret, setSecret] = useState<string>();
  const { id } = destination;
  const rotate = async ({ grace_seconds: grace }: Readonly<Record<string, unknown>>): Promise<void> => {
    const { data } = await call('destinationsRotate', { path: { id }, body: { grace_seconds: Number(grace) } });
    setSecret(secretOf(data));
    setRotating(false);
    renew((await call('destinationsShow', { path: { id } })).data);
  };
  return (
    <section aria-labelledby="secret">
      <h2 id="secret">Secret</h2>
      <p>
        Events are signed with it. The present one is <code>{secretOf(destination) ?? 'unknown'}</code>.
      </p>
      <div class="buttons">
        <button type="button" onClick={() => setRotating(true)}>
          Rotate
        </button>
      </div>
      {isRotating && (
        <Dialog title="Give it a new secret?" close={() => setRotating(false)}>
          <NewForm
            fields={FIELDS}
            begin={{ grace_seconds: '86400' }}
            action="Rotate"
            submit={rotate}
            cancel={() => setRotating(false)}
          />
        </Dialog>
      )}
      {secret !== undefined && <SecretOnce title="The new secret" secret={secret} close={() => setSecret(undefined)} />}
    </section>
  );
}
