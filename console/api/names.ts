import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { session } from '../app/session.js';

/** The most whose names are shown; the others are shown by their ids. */
export const NAMED_MAX = '100';

/** Names by ids. */
export type Names = ReadonlyMap<string, string>;

/** Names that are loaded once for all pages of a session. @returns the hook that reads them, once they are there */
export function namesOf(load: () => Promise<readonly (readonly [id: string, name: string])[]>): () => Names {
  const names = signal<Names>(new Map());
  /** The session whose names are loaded, or are being loaded. */
  let loadedFor: string | undefined;
  return () => {
    useEffect(() => {
      const { id } = session.value ?? {};
      if (id === undefined || id === loadedFor) return;
      loadedFor = id;
      load().then(
        (pairs) => void (names.value = new Map(pairs)),
        () => (loadedFor = undefined),
      );
    }, []);
    return names.value;
  };
}
