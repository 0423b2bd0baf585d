import type { JSX } from 'preact';
import type { PageProps } from '../../app/routes.js';
import { ModelList } from './model-list.js';
import { OneModel } from './one-model.js';

/** The models of the catalog: all of them, or one with its endpoints. */
export const Models = ({ rest }: PageProps): JSX.Element =>
  rest === '' ? <ModelList /> : <OneModel key={rest} id={rest} />;
