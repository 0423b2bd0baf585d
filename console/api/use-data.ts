import { useEffect, useRef, useState } from 'preact/hooks';
import { asFailure, type ApiFailure } from './transport.js';

/** State of data that a page loads. */
export interface Loaded<Data> {
  /** The last one, also while it is loaded again. */
  readonly data: Data | undefined;
  readonly failure: ApiFailure | undefined;
  readonly isLoading: boolean;
  /** When the data came: epoch milliseconds. */
  readonly loadedAt: number | undefined;
  readonly reload: () => void;
}

/**
 * Loads something, and again where `key` changes, and at intervals. Nothing is requested while the page is hidden; what
 * is under way is given up where the page is left.
 * @param key names what is loaded; data of another key is dropped
 * @param everyMs interval between an answer and the next request; undefined: once
 */
export function useData<Data>(
  key: string,
  load: (signal: AbortSignal) => Promise<Data>,
  everyMs?: number,
): Loaded<Data> {
  const [state, setState] = useState<Omit<Loaded<Data>, 'reload'> & { readonly key: string }>(() => begun(key));
  const [round, setRound] = useState(0);
  const latest = useRef(load);
  latest.current = load;

  useEffect(() => {
    const abort = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isDue = true;
    const run = async (): Promise<void> => {
      if (document.hidden || !isDue) return;
      isDue = false;
      setState((before) => (before.key === key ? { ...before, isLoading: true } : begun(key)));
      try {
        const data = await latest.current(abort.signal);
        setState({ key, data, failure: undefined, isLoading: false, loadedAt: Date.now() });
      } catch (error) {
        if (abort.signal.aborted) return;
        const failure = asFailure(error);
        setState((before) => ({ ...before, key, failure, isLoading: false }));
      }
      if (everyMs !== undefined && !abort.signal.aborted) timer = setTimeout(resume, everyMs);
    };
    const resume = (): void => {
      isDue = true;
      void run();
    };
    const shown = (): void => void run();
    document.addEventListener('visibilitychange', shown);
    void run();
    return () => {
      abort.abort();
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', shown);
    };
  }, [key, round, everyMs]);

  // The first frame after a change of the key must not show what belongs to another one.
  const current = state.key === key ? state : begun<Data>(key);
  return { ...current, reload: () => setRound((one) => one + 1) };
}

const begun = <Data>(key: string): Omit<Loaded<Data>, 'reload'> & { readonly key: string } => ({
  key,
  data: undefined,
  failure: undefined,
  isLoading: true,
  loadedAt: undefined,
});
