import type { JSX } from 'preact';
import { call } from '../../api/client.js';
import { useDestinationNames } from '../../api/destination-names.js';
import { useKeyNames } from '../../api/key-names.js';
import type { CreateAlarmBody } from '../../api/schema.js';
import { addressOf, navigate } from '../../app/router.js';
import { NewForm } from '../../parts/form.js';
import { Link } from '../../parts/link.js';
import { BEGINS, bodyOf, fieldsOf } from './alarm-fields.js';
import { isKind, KINDS, type Kind } from './alarm-words.js';

/** The form of a new alarm: first what it watches. */
export const NewAlarm = ({ kind }: { readonly kind: string | undefined }): JSX.Element => (
  <>
    <p>
      <Link to="alarms">Alarms</Link>
    </p>
    <h1 tabIndex={-1}>New alarm</h1>
    {isKind(kind) ? (
      <OfKind kind={kind} />
    ) : (
      <>
        <p>What shall it watch?</p>
        <ul class="choices">
          {Object.entries(KINDS).map(([one, words]) => (
            <li key={one}>
              <Link to={`alarms/new/${one}`}>{words}</Link>
            </li>
          ))}
        </ul>
      </>
    )}
  </>
);

function OfKind({ kind }: { readonly kind: Kind }): JSX.Element {
  const [keys, destinations] = [useKeyNames(), useDestinationNames()];
  return (
    <>
      <p>{KINDS[kind]}.</p>
      <NewForm
        fields={fieldsOf(kind, keys, destinations)}
        begin={BEGINS[kind]}
        action="Make the alarm"
        submit={async (entered) => {
          const body = {
            destination_ids: [],
            ...bodyOf(kind, { ...entered, on: { ...(entered['on'] as object | undefined) } }),
          };
          return (await call('alarmsCreate', { body: body as unknown as CreateAlarmBody })).data;
        }}
        done={({ id }) => navigate(addressOf(`alarms/${id}`))}
        cancel={() => navigate(addressOf('alarms'))}
      />
    </>
  );
}
