import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../../api/client.js';
import type { EnterCreditsBody } from '../../api/schema.js';
import { addressOf, navigate } from '../../app/router.js';
import { NewForm } from '../../parts/form.js';
import type { Field } from '../../parts/form-fields.js';
import { Link } from '../../parts/link.js';

const FIELDS: readonly Field[] = [
  {
    name: 'kind',
    label: 'Kind',
    kind: 'choice',
    options: [
      { value: 'purchase', label: 'purchase: what was paid' },
      { value: 'adjustment', label: 'adjustment: any amount, also below zero' },
      { value: 'refund', label: 'refund: what is paid back, below zero' },
    ],
  },
  {
    name: 'amount',
    label: 'Amount',
    kind: 'money',
    unit: 'USD',
    description: 'It can be spent at once. An entry cannot be changed; an adjustment corrects it.',
    placeholder: '100.00',
    isRequired: true,
  },
  { name: 'note', label: 'Note', kind: 'text', description: 'Statements show it.', placeholder: 'Invoice 2030-17' },
];

/** The form that enters credits. */
export function EnterCredits(): JSX.Element {
  // A form that is sent twice enters once.
  const [idempotencyKey] = useState(() => crypto.randomUUID());
  return (
    <>
      <p>
        <Link to="credits">Credits and ledger</Link>
      </p>
      <h1 tabIndex={-1}>Enter credits</h1>
      <NewForm
        fields={FIELDS}
        begin={{ kind: 'purchase' }}
        action="Enter"
        submit={async (entered) => {
          const body = { ...entered, idempotency_key: idempotencyKey } as unknown as EnterCreditsBody;
          await call('creditsEnter', { body });
        }}
        done={() => navigate(addressOf('credits'))}
        cancel={() => navigate(addressOf('credits'))}
      />
    </>
  );
}
