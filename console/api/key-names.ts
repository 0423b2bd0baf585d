import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { session } from '../app/session.js';
import { call } from './client.js';

/** Keys whose names are shown; the others are shown by their hashes. */
const NAMED_MAX = '100';

const names = signal<ReadonlyMap<string, string>>(new Map());
/** The session whose names are loaded, or are being loaded. */
let loadedFor: string | undefined;

/** The names of keys by their hashes, once they are there: one request for all pages. */
export function useKeyNames(): ReadonlyMap<string, string> {
  useEffect(() => {
    const { id } = session.value ?? {};
    if (id === undefined || id === loadedFor) return;
    loadedFor = id;
    call('keysList', { query: { sort: 'last_used_at', limit: NAMED_MAX } }).then(
      ({ data }) => void (names.value = new Map(data.map((key) => [key.hash, key.name]))),
      () => (loadedFor = undefined),
    );
  }, []);
  return names.value;
}
