import type { JSX } from 'preact';
import type { PageProps } from '../../app/routes.js';
import { GenerationList } from './generation-list.js';
import { OneGeneration } from './one-generation.js';

/** The requests: a list, or one of them. */
export const Generations = ({ rest }: PageProps): JSX.Element =>
  rest === '' ? <GenerationList /> : <OneGeneration key={rest} id={rest} />;
