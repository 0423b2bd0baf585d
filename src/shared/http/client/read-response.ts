import type { Client, Dispatcher } from 'undici';

export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** Reads one response. An error it throws ends the reading, and is passed to the caller. */
export interface ResponseReader<Verdict> {
  /** Decides by the head: undefined reads the body, anything else is the outcome without it. */
  head(status: number, headers: ResponseHeaders): Verdict | undefined;
  /** @param chunk must be copied to be kept */
  take(chunk: Buffer): void;
  /** The response is complete: the outcome. */
  end(): Verdict;
}

/**
 * Sends one request and has its response read. The caller destroys the client afterwards, whatever the outcome.
 * Does not use `client.request`: its body pauses undici's parser, and version 7.30 ends the process with a failed
 * assertion when a response is reset, or ends, while it is paused. A bounded body needs no pause.
 */
export function readResponse<Verdict>(
  client: Client,
  options: Dispatcher.DispatchOptions,
  reader: ResponseReader<Verdict>,
): Promise<Verdict> {
  return new Promise((resolve, reject) => {
    // Bytes that arrive until the client is destroyed are dropped.
    let isOver = false;
    const guarded = (work: () => void): void => {
      if (isOver) return;
      try {
        work();
      } catch (error) {
        isOver = true;
        reject(error instanceof Error ? error : new Error('A reader threw no error.'));
      }
    };
    client.dispatch(options, {
      onRequestStart() {},
      onResponseStart(_, status, headers) {
        if (status < 200) return;
        guarded(() => {
          const verdict = reader.head(status, headers);
          if (verdict === undefined) return;
          isOver = true;
          resolve(verdict);
        });
      },
      onResponseData(_, chunk) {
        guarded(() => reader.take(chunk));
      },
      onResponseEnd() {
        guarded(() => resolve(reader.end()));
      },
      onResponseError(_, error) {
        reject(error);
      },
    });
  });
}
