import type { JSX } from 'preact';
import type { PageProps } from '../../app/routes.js';
import { OneProvider } from './one-provider.js';
import { ProviderList } from './provider-list.js';

/** The providers: all of them, or one. */
export const Providers = ({ rest }: PageProps): JSX.Element =>
  rest === '' ? <ProviderList /> : <OneProvider key={rest} slug={rest} />;
