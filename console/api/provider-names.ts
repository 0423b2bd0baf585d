import { call } from './client.js';
import { namesOf } from './names.js';

/** The names of providers by their slugs. */
export const useProviderNames = namesOf(async () => {
  const { data } = await call('providersList');
  return data.map(({ slug, name }) => [slug, name]);
});
