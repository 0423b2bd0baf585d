import type { JSX } from 'preact';
import type { PageProps } from '../../app/routes.js';
import { KeyList } from './key-list.js';
import { NewKey } from './new-key.js';
import { OneKey } from './one-key.js';

/** The keys: all of them, one, or the form of a new one. */
export function Keys({ rest }: PageProps): JSX.Element {
  if (rest === '') return <KeyList />;
  return rest === 'new' ? <NewKey /> : <OneKey key={rest} hash={rest} />;
}
