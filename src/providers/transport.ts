import type { CancelSignal } from '../core/cancellation.js';

/** A call ready for the wire, its credential on it. */
export interface OutgoingCall {
  /** Whole URL, made of the catalog's base URL and the dialect's path; nothing of it comes from the caller. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** A large one in parts, which are written as the provider takes them. */
  readonly body: string | readonly Buffer[];
  readonly stream: boolean;
  readonly connectTimeoutMs: number;
  /** Longest silence between two chunks that somebody waits for. Streamed calls only. */
  readonly idleTimeoutMs: number;
}

/** The provider's answer, its body unread. */
export interface UpstreamResponse {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /**
   * The body as it arrives: each pull gives all chunks that came since the last one. Nothing is read ahead beyond a small
   * window, so a reader that does not pull stops the provider. Leaving the loop early closes the connection.
   */
  readonly chunks: AsyncIterable<readonly Uint8Array[]>;
  /**
   * The whole body.
   * @throws ProviderFault `malformed-reply` past `bytesMax`
   */
  read(bytesMax: number): Promise<Buffer>;
}

/**
 * Carries calls to providers. Throws a `ProviderFault` for everything that goes wrong on the way, and the signal's own reason
 * once it is aborted; an abort closes the connection at any stage.
 */
export abstract class Transport {
  /** Resolves when the status line and headers are there, whatever the status. */
  abstract open(call: OutgoingCall, signal: CancelSignal): Promise<UpstreamResponse>;
}
