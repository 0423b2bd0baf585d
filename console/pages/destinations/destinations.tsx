import type { JSX } from 'preact';
import type { PageProps } from '../../app/routes.js';
import { DestinationList } from './destination-list.js';
import { NewDestination } from './new-destination.js';
import { OneDestination } from './one-destination.js';

/** The destinations of events: all of them, one, or the form of a new one. */
export function Destinations({ rest }: PageProps): JSX.Element {
  if (rest === '') return <DestinationList />;
  const [name, type] = rest.split('/');
  return name === 'new' ? <NewDestination key={type} type={type} /> : <OneDestination key={rest} id={rest} />;
}
