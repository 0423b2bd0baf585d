import type { CancelSignal } from '../../core/cancellation.js';
import type { PrintedCall } from '../../core/platform.js';

/** A call ready to be sent, authorised. A body in parts is written part by part, as fast as the provider takes them. */
export interface OutgoingCall extends PrintedCall {
  /** Absent: `POST`. */
  readonly method?: 'GET';
  readonly stream: boolean;
  readonly connectTimeoutMs: number;
  /** Longest silence between two chunks while the reader waits. Streamed calls only. */
  readonly idleTimeoutMs: number;
  /** Called when all of the call has been written: from then on the provider may bill it. */
  readonly onSent?: (() => void) | undefined;
}

/** The provider's answer with an unread body. */
export interface UpstreamResponse {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /**
   * The body as it arrives: each pull gives all chunks that arrived since the last one. Only a small window is read
   * ahead, so a reader that does not pull stops the provider. Leaving the loop early closes the connection.
   */
  readonly chunks: AsyncIterable<readonly Uint8Array[]>;
  /**
   * The whole body.
   * @throws ProviderFault `malformed-reply` past `bytesMax`
   */
  read(bytesMax: number): Promise<Buffer>;
}

/**
 * Carries calls to providers. Throws a `ProviderFault` for every failure on the way, and the signal's own reason once
 * it is aborted. An abort closes the connection at any stage.
 */
export abstract class Transport {
  /** Resolves with the status line and headers, whatever the status. */
  abstract open(call: OutgoingCall, signal: CancelSignal): Promise<UpstreamResponse>;
}
