import { crc32 } from 'node:zlib';
import { ProviderFault } from '../../../core/errors.js';
import { FRAME_BYTES_MAX } from '../../../core/stream/sse.js';
import { BytePieces } from '../../../core/stream/byte-pieces.js';
import type { StreamStage } from '../../../core/stream/stream-stage.js';

/** A message of `application/vnd.amazon.eventstream`. */
export interface EventStreamMessage {
  readonly headers: EventHeaders;
  readonly payload: string;
}

/** Headers of a message whose values are texts. */
export type EventHeaders = ReadonlyMap<string, string>;

/** Maximum number of bytes of one message, the same as of a frame of any stream. A longer one is malformed. */
export const MESSAGE_BYTES_MAX = FRAME_BYTES_MAX;

/** The message's length, the length of its headers, and the checksum of both. */
const PRELUDE_BYTES = 12;
const CHECKSUM_BYTES = 4;
const LEAST_BYTES = PRELUDE_BYTES + CHECKSUM_BYTES;

const EMPTY: Buffer = Buffer.alloc(0);
const NO_HEADERS: EventHeaders = new Map();

/** Bytes of a header's value by its type; a value of any other type begins with its length. */
const VALUE_BYTES: Readonly<Record<number, number>> = { 0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16 };
const TYPE_BYTES = 6;
const TYPE_TEXT = 7;

/**
 * Reads messages from bytes that are cut anywhere, and checks both of their checksums. Bytes of an unfinished message
 * wait in a list, so that the cost is linear however the bytes are cut. One per reply.
 */
export class EventStreamReader implements StreamStage<Uint8Array, EventStreamMessage> {
  private readonly waiting = new BytePieces();
  /** Bytes that must arrive before the next read. */
  private neededBytes = PRELUDE_BYTES;
  /** Headers repeat from message to message: comparing their bytes is cheaper than parsing them again. */
  private lastBytes = EMPTY;
  private lastHeaders = NO_HEADERS;

  push(chunk: Uint8Array, out: EventStreamMessage[]): void {
    if (chunk.length === 0) return;
    const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    this.waiting.add(bytes);
    if (this.waiting.bytes < this.neededBytes) return;
    const rest = this.read(this.waiting.take(), out);
    if (rest.length > 0) this.waiting.add(rest);
  }

  /** @throws ProviderFault where the stream ended inside a message */
  end(): void {
    if (this.waiting.bytes > 0) throw malformed('ends within a message', { isCut: true });
  }

  /** @returns the rest, shorter than the next read needs */
  private read(buffer: Buffer, out: EventStreamMessage[]): Buffer {
    let start = 0;
    while (buffer.length - start >= PRELUDE_BYTES) {
      const total = buffer.readUInt32BE(start);
      const headerBytes = buffer.readUInt32BE(start + 4);
      if (crc32(buffer.subarray(start, start + 8)) !== buffer.readUInt32BE(start + 8)) {
        throw malformed('has a message whose prelude does not match its checksum');
      }
      if (total > MESSAGE_BYTES_MAX) throw malformed(`has a message of more than ${MESSAGE_BYTES_MAX} bytes`);
      if (total < LEAST_BYTES + headerBytes) throw malformed('has a message that is shorter than its parts');
      this.neededBytes = total;
      if (buffer.length - start < total) return buffer.subarray(start);
      out.push(this.message(buffer.subarray(start, start + total), headerBytes));
      start += total;
    }
    this.neededBytes = PRELUDE_BYTES;
    return buffer.subarray(start);
  }

  private message(bytes: Buffer, headerBytes: number): EventStreamMessage {
    const end = bytes.length - CHECKSUM_BYTES;
    if (crc32(bytes.subarray(0, end)) !== bytes.readUInt32BE(end)) {
      throw malformed('has a message that does not match its checksum');
    }
    const payloadStart = PRELUDE_BYTES + headerBytes;
    return {
      headers: this.headers(bytes.subarray(PRELUDE_BYTES, payloadStart)),
      payload: bytes.toString('utf8', payloadStart, end),
    };
  }

  private headers(bytes: Buffer): EventHeaders {
    if (!this.lastBytes.equals(bytes)) {
      this.lastHeaders = readHeaders(bytes);
      // A copy: a view would keep the whole chunk alive as long as the stream.
      this.lastBytes = Buffer.from(bytes);
    }
    return this.lastHeaders;
  }
}

function readHeaders(bytes: Buffer): EventHeaders {
  const headers = new Map<string, string>();
  try {
    for (let index = 0; index < bytes.length;) {
      const nameEnd = index + 1 + bytes.readUInt8(index);
      const name = bytes.toString('utf8', index + 1, nameEnd);
      const type = bytes.readUInt8(nameEnd);
      const valueStart = nameEnd + 1;
      if (type === TYPE_TEXT || type === TYPE_BYTES) {
        index = valueStart + 2 + bytes.readUInt16BE(valueStart);
        if (type === TYPE_TEXT) headers.set(name, bytes.toString('utf8', valueStart + 2, index));
      } else {
        const length = VALUE_BYTES[type];
        if (length === undefined) throw malformed(`has a header of the unknown type ${type}`);
        index = valueStart + length;
      }
      if (index > bytes.length) throw malformed('has a header that is longer than the headers');
    }
  } catch (error) {
    if (error instanceof ProviderFault) throw error;
    throw new ProviderFault(
      'malformed-reply',
      "The provider's stream has headers that cannot be read.",
      {},
      { cause: error },
    );
  }
  return headers;
}

const malformed = (complaint: string, detail: { readonly isCut?: true } = {}): ProviderFault =>
  new ProviderFault('malformed-reply', `The provider's stream ${complaint}.`, detail);
