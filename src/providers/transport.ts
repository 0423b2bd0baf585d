import type { CancelSignal } from '../core/cancellation.js';
import type { PrintedCall } from '../core/platform.js';

/** A call ready for the wire, authorised. A body in parts is written part by part, as the provider takes them. */
export interface OutgoingCall extends PrintedCall {
  /** Absent: `POST`. */
  readonly method?: 'GET';
  readonly stream: boolean;
  readonly connectTimeoutMs: number;
  /** Longest silence between two chunks that somebody waits for. Streamed calls only. */
  readonly idleTimeoutMs: number;
  /** Told when all of it has been written to the provider: from then on it may be billed. */
  readonly onSent?: (() => void) | undefined;
}

/** The provider's answer, its body unread. */
export interface UpstreamResponse {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /**
   * The body as it arrives: each pull gives all chunks that came since the last one. Nothing is read ahead beyond a
   * small window, so a reader that does not pull stops the provider. Leaving the loop early closes the connection.
   */
  readonly chunks: AsyncIterable<readonly Uint8Array[]>;
  /**
   * The whole body.
   * @throws ProviderFault `malformed-reply` past `bytesMax`
   */
  read(bytesMax: number): Promise<Buffer>;
}

/**
 * Carries calls to providers. Throws a `ProviderFault` for everything that goes wrong on the way, and the signal's own
 * reason once it is aborted; an abort closes the connection at any stage.
 */
export abstract class Transport {
  /** Resolves when the status line and headers are there, whatever the status. */
  abstract open(call: OutgoingCall, signal: CancelSignal): Promise<UpstreamResponse>;
}
