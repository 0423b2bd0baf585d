import type { JSX } from 'preact';
import type { PageProps } from '../../app/routes.js';
import { CredentialList } from './credential-list.js';
import { NewCredential } from './new-credential.js';
import { OneCredential } from './one-credential.js';

/** The callers' own credentials at providers: all of them, one, or the form of a new one. */
export function Byok({ rest }: PageProps): JSX.Element {
  if (rest === '') return <CredentialList />;
  return rest === 'new' ? <NewCredential /> : <OneCredential key={rest} id={rest} />;
}
