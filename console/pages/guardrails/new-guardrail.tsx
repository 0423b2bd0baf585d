import type { JSX } from 'preact';
import { call } from '../../api/client.js';
import type { CreateGuardrailBody } from '../../api/schema.js';
import { addressOf, navigate } from '../../app/router.js';
import { NewForm } from '../../parts/form.js';
import { Link } from '../../parts/link.js';
import { bodyOf, NEW_FIELDS } from './guardrail-fields.js';

/** The form of a new guardrail, then its page. */
export function NewGuardrail(): JSX.Element {
  return (
    <>
      <p>
        <Link to="guardrails">Guardrails</Link>
      </p>
      <h1 tabIndex={-1}>New guardrail</h1>
      <NewForm
        fields={NEW_FIELDS}
        action="Make the guardrail"
        submit={async (body) => (await call('guardrailsCreate', { body: bodyOf(body) as CreateGuardrailBody })).data}
        done={({ id }) => navigate(addressOf(`guardrails/${id}`))}
        cancel={() => navigate(addressOf('guardrails'))}
      />
    </>
  );
}
