import { call } from './client.js';
import { NAMED_MAX, namesOf } from './names.js';

/** The names of keys by their hashes. */
export const useKeyNames = namesOf(async () => {
  const { data } = await call('keysList', { query: { sort: 'last_used_at', limit: NAMED_MAX } });
  return data.map(({ hash, name }) => [hash, name]);
});
