import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../../api/client.js';
import type { CreateDestinationBody, Destination } from '../../api/schema.js';
import { addressOf, navigate } from '../../app/router.js';
import { NewForm } from '../../parts/form.js';
import { Link } from '../../parts/link.js';
import { SecretOnce } from '../../parts/secret-once.js';
import { isType, newFields, secretOf, TYPES, type Type } from './destination-fields.js';

/** The form of a new destination: first its type. */
export const NewDestination = ({ type }: { readonly type: string | undefined }): JSX.Element => (
  <>
    <p>
      <Link to="destinations">Destinations</Link>
    </p>
    <h1 tabIndex={-1}>New destination</h1>
    {isType(type) ? (
      <OfType type={type} />
    ) : (
      <>
        <p>What is it?</p>
        <ul class="choices">
          {Object.entries(TYPES).map(([one, words]) => (
            <li key={one}>
              <Link to={`destinations/new/${one}`}>{words}</Link>
            </li>
          ))}
        </ul>
      </>
    )}
  </>
);

function OfType({ type }: { readonly type: Type }): JSX.Element {
  const [made, setMade] = useState<Destination>();
  const show = ({ id }: Destination): void => navigate(addressOf(`destinations/${id}`));
  const secret = made && secretOf(made);
  return (
    <>
      <p>{TYPES[type]}.</p>
      <NewForm
        fields={newFields(type)}
        begin={type === 'webhook' ? { config: { method: 'POST' } } : {}}
        action="Make the destination"
        submit={async (entered) => {
          const body = { ...entered, type } as unknown as CreateDestinationBody;
          return (await call('destinationsCreate', { body })).data;
        }}
        done={(destination) => (secretOf(destination) === undefined ? show(destination) : setMade(destination))}
        cancel={() => navigate(addressOf('destinations'))}
      />
      {made && secret !== undefined && (
        <SecretOnce title="The destination is made" secret={secret} close={() => show(made)}>
          <p>The receiver checks the signature of each event with it.</p>
        </SecretOnce>
      )}
    </>
  );
}
