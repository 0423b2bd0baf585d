import { call } from './client.js';
import { NAMED_MAX, namesOf } from './names.js';

/** The names of destinations that take alarms, by their ids: a collector takes generations alone. */
export const useDestinationNames = namesOf(async () => {
  const { data } = await call('destinationsList', { query: { limit: NAMED_MAX } });
  return data.filter(({ type }) => type !== 'otel-collector').map(({ id, name }) => [id, name]);
});
