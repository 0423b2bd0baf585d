import type { Client, Dispatcher } from 'undici';

export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

export interface CollectedResponse {
  readonly headers: ResponseHeaders;
  readonly body: Buffer;
}

/** Decides on a response by its head: undefined reads the body, anything else is the outcome without it. May throw. */
export type JudgeHead<Verdict> = (status: number, headers: ResponseHeaders) => Verdict | undefined;

/**
 * Sends one request and collects its bounded body. The caller destroys the client afterwards, whatever the outcome.
 *
 * Not by `client.request`: its body pauses undici's parser, and version 7.30 ends the process with a failed assertion
 * when a response is reset, or ends, while it is paused. A bounded body needs no pause.
 *
 * @param tooLong made when the body, announced or received, has more bytes than `bytesMax`
 */
export function collectResponse<Verdict>(
  client: Client,
  options: Dispatcher.DispatchOptions,
  judge: JudgeHead<Verdict>,
  bytesMax: number,
  tooLong: () => Error,
): Promise<CollectedResponse | Verdict> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let length = 0;
    let headers: ResponseHeaders = {};
    client.dispatch(options, {
      onRequestStart() {},
      onResponseStart(_, status, received) {
        if (status < 200) return;
        headers = received;
        // What it throws makes undici give the request up with that error.
        const verdict = judge(status, headers);
        if (verdict !== undefined) resolve(verdict);
        else if (Number(headers['content-length']) > bytesMax) reject(tooLong());
      },
      onResponseData(_, chunk) {
        length += chunk.length;
        // What comes until the client is destroyed is dropped.
        if (length <= bytesMax) parts.push(chunk);
        else if (length - chunk.length <= bytesMax) reject(tooLong());
      },
      onResponseEnd() {
        resolve({ headers, body: Buffer.concat(parts) });
      },
      onResponseError(_, error) {
        reject(error);
      },
    });
  });
}
