import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../../api/client.js';
import type { CreateKeyBody, WholeKey } from '../../api/schema.js';
import { addressOf, navigate } from '../../app/router.js';
import { ClientLines } from '../../parts/client-lines.js';
import { NewForm } from '../../parts/form.js';
import { Link } from '../../parts/link.js';
import { SecretOnce } from '../../parts/secret-once.js';
import { NEW_FIELDS } from './key-fields.js';

/** The form of a new key. Its secret is shown once, then its page. */
export function NewKey(): JSX.Element {
  const [made, setMade] = useState<{ readonly key: WholeKey; readonly secret: string }>();
  const submit = async (body: Readonly<Record<string, unknown>>): Promise<void> => {
    const { data, key: secret } = await call('keysCreate', { body: body as CreateKeyBody });
    setMade({ key: data, secret });
  };
  return (
    <>
      <p>
        <Link to="keys">Keys</Link>
      </p>
      <h1 tabIndex={-1}>New key</h1>
      <NewForm
        fields={NEW_FIELDS}
        begin={{ kind: 'inference' }}
        action="Make the key"
        submit={submit}
        cancel={() => navigate(addressOf('keys'))}
      />
      {made && (
        <SecretOnce
          title="The key is made"
          secret={made.secret}
          close={() => navigate(addressOf(`keys/${made.key.hash}`))}
        >
          {made.key.kind === 'inference' && <ClientLines secret={made.secret} />}
        </SecretOnce>
      )}
    </>
  );
}
