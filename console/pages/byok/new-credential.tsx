import type { JSX } from 'preact';
import { call } from '../../api/client.js';
import type { CreateCredentialBody } from '../../api/schema.js';
import { addressOf, navigate } from '../../app/router.js';
import { NewForm } from '../../parts/form.js';
import { Link } from '../../parts/link.js';
import { NEW_FIELDS } from './credential-fields.js';

/** The form of a new credential, which is shown once it is stored, to be tested. */
export const NewCredential = (): JSX.Element => (
  <>
    <p>
      <Link to="byok">Provider credentials</Link>
    </p>
    <h1 tabIndex={-1}>New credential</h1>
    <NewForm
      fields={NEW_FIELDS}
      action="Store it"
      submit={async (body) => (await call('byokCreate', { body: body as unknown as CreateCredentialBody })).data}
      done={({ id }) => navigate(addressOf(`byok/${id}`))}
      cancel={() => navigate(addressOf('byok'))}
    />
  </>
);
