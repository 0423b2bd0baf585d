import { Injectable } from '@nestjs/common';
import { systemErrorOf } from '../../../core/system-error.js';
import { CheckedIpAddresses } from './checked-ip-addresses.js';
import { EgressError } from './egress-error.js';
import { openPinnedClient } from './pinned-client.js';
import { readResponse, type ResponseHeaders, type ResponseReader } from './read-response.js';
import { readUrl } from './safe-fetch.js';
import { untilAborted } from './until-aborted.js';

/** A POST to an address that a caller named. */
export interface SafePostRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly method?: 'POST' | 'PUT';
  /** The time for everything, from the resolution of the name to the end of the answer, in milliseconds. */
  readonly timeoutMs: number;
}

/** Bytes of an answer that are read, so that a small one ends properly. They are not kept. */
const ANSWER_BYTES_MAX = 4 * 1024;

/**
 * Sends to URLs named by callers, and reaches only allowed addresses, as `SafeFetch` does. Redirects are not followed.
 * The status decides: the body of an answer is read to a bound and dropped. Safe to share.
 */
@Injectable()
export class SafePost {
  constructor(private readonly addresses: CheckedIpAddresses) {}

  /**
   * @returns the HTTP status of the answer
   * @throws EgressError when nothing answered, or the URL may not be reached
   * @throws the signal's reason once it is aborted
   */
  async post(request: SafePostRequest, signal: AbortSignal): Promise<number> {
    const { timeoutMs } = request;
    const deadline = AbortSignal.timeout(timeoutMs);
    try {
      return await this.send(request, AbortSignal.any([signal, deadline]));
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof EgressError) throw error;
      if (deadline.aborted) throw new EgressError('timed-out', `did not answer within ${timeoutMs} ms`);
      const code = systemErrorOf({ cause: error })?.code;
      throw new EgressError('unreachable', `could not be reached${code === undefined ? '' : ` (${code})`}`, {
        cause: error,
      });
    }
  }

  /** @throws EgressError for a URL that may not be reached: its form, or an address that is not public */
  async assertReachable(text: string, signal: AbortSignal): Promise<void> {
    try {
      await this.addresses.of(readUrl(text), signal);
    } catch (error) {
      // A name that cannot be resolved now may be resolved later.
      if (error instanceof EgressError && error.reason !== 'unreachable') throw error;
    }
  }

  private async send(request: SafePostRequest, signal: AbortSignal): Promise<number> {
    const url = readUrl(request.url);
    const addresses = await this.addresses.of(url, signal);
    const { client, close } = openPinnedClient(url, addresses, request.timeoutMs);
    const reader = new StatusReader();
    const path = `${url.pathname}${url.search}`;
    const { headers, body, method = 'POST' } = request;
    try {
      return await untilAborted(readResponse(client, { method, path, headers, body }, reader), signal);
    } catch (error) {
      // The answer began: what follows its head changes nothing.
      if (reader.status !== undefined) return reader.status;
      throw error;
    } finally {
      close();
    }
  }
}

/** Thrown to end the reading of a long answer. */
const ENOUGH = new Error('The answer is longer than is read.');

class StatusReader implements ResponseReader<number> {
  status: number | undefined;
  private bytes = 0;

  head(status: number, _headers: ResponseHeaders): undefined {
    this.status = status;
  }

  take(chunk: Buffer): void {
    this.bytes += chunk.length;
    if (this.bytes > ANSWER_BYTES_MAX) throw ENOUGH;
  }

  end(): number {
    return this.status!;
  }
}
