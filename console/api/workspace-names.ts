import { call } from './client.js';
import { NAMED_MAX, namesOf } from './names.js';

/** The names of workspaces by their ids. */
export const useWorkspaceNames = namesOf(async () => {
  const { data } = await call('workspacesList', { query: { limit: NAMED_MAX } });
  return data.map(({ id, name }) => [id, name]);
});
