import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { CallerGone, GatewayError } from '../../../core/errors.js';
import { yieldToEventLoop } from '../../../core/yield-to-event-loop.js';
import { BytesInFlight, bytesInFlightFull, type HeldBytes } from '../../queues/bytes-in-flight.js';
import { OpenItems } from '../../open-items.js';
import { AbandonedBodies } from '../abandoned-bodies.js';
import { BodyParts } from './body-parts.js';
import { CallerValidity } from '../caller-validity.js';
import type { AuthenticatedRequest } from '../route.decorators.js';
import { piecesOf } from './express-message-classes.js';

/** Smaller bodies never wait for space. */
export const SMALL_BODY_BYTES = 64 * 1024;
/** Longest time without a byte, and the time before the average rate of a body is checked. */
const SILENT_SECONDS_MAX = 20;
/**
 * Slowest average rate of a body: 64 kbit/s, as on the slowest upload links. A client at exactly this rate holds a
 * connection in proportion to its bytes, and no longer.
 */
const BYTES_PER_SECOND_MIN = 8 * 1024;
const SWEEP_MS = 1_000;
/**
 * Number of pieces allowed for any body, and average bytes required per further piece. A piece costs three microseconds
 * whatever its size: a chunk of one byte as much as one of 64 KiB.
 */
const PIECES_MIN = 10_000;
const PIECE_BYTES_MIN = 64;

/** @returns the longest time in milliseconds that a body of so many bytes can take to arrive */
export const bodyMsMax = (bytes: number): number => (SILENT_SECONDS_MAX + 1 + bytes / BYTES_PER_SECOND_MIN) * 1_000;

/** The terms for the bodies of a route. */
export interface BodyTerms {
  readonly bytesMax: number;
  /** Whether a large one is refused while there is no space for it. */
  readonly takesCapacity: boolean;
}

/**
 * Reads bodies, each within the share of its key (docs/use/limits.md#bodies-in-flight). Memory is used for received
 * bytes, never for announced ones. Once a second the arriving bodies are checked: one without progress, one that is too
 * slow on average, and one whose key is no longer valid end.
 */
@Injectable()
export class BodyReader {
  private readonly arriving = new OpenItems<ArrivingBody>();
  private sweeper: NodeJS.Timeout | undefined;

  constructor(
    private readonly bytesInFlight: BytesInFlight,
    private readonly callers: CallerValidity,
    private readonly abandoned: AbandonedBodies,
  ) {}

  /**
   * Reads the body of nearly every request: small, and received together with the head. Undefined for any other, which
   * has to be read. If there is memory for its bytes, they count until the request is answered.
   */
  takeArrived(request: AuthenticatedRequest, response: Response, { bytesMax }: BodyTerms): Buffer | undefined {
    const { complete, readableLength: length } = request;
    if (!complete || length === 0 || length >= SMALL_BODY_BYTES || length > bytesMax) return undefined;
    if (request.headers.expect !== undefined || piecesOf(request) > PIECES_MIN) return undefined;
    const { keyHash } = request.caller;
    if (this.bytesInFlight.add(keyHash, length)) {
      response.once('close', () => this.bytesInFlight.add(keyHash, -length));
    }
    return request.read() as Buffer;
  }

  /**
   * @returns the whole body. Its bytes count until the request is answered, because attempts are encoded from it; those
   * of an incomplete body are returned at once
   * @throws GatewayError `too-large`, before anything is read where the caller declared its length; `unavailable`: no
   * space; `request-timed-out`; `unauthenticated`: its key is no longer valid
   * @throws CallerGone
   */
  async read(request: AuthenticatedRequest, response: Response, terms: BodyTerms): Promise<Buffer> {
    const { headers } = request;
    const promised = Number(headers['content-length'] ?? terms.bytesMax);
    if (promised > terms.bytesMax) throw tooLarge(terms);
    const held = this.bytesInFlight.open(request.caller.keyHash);
    response.once('close', () => held.release());
    if (headers.expect !== undefined) response.writeContinue();
    const body = new ArrivingBody(request, held, terms, promised < SMALL_BODY_BYTES);
    const handle = this.arriving.add(body);
    this.sweeper ??= setInterval(() => this.sweep(), SWEEP_MS).unref();
    try {
      return await body.arrive();
    } catch (error) {
      held.release();
      if (error instanceof CallerGone || isTooSlow(error)) this.abandoned.bodyAbandoned(request.caller);
      throw error;
    } finally {
      this.arriving.remove(handle);
    }
  }

  private sweep(): void {
    if (this.arriving.size === 0) {
      clearInterval(this.sweeper);
      this.sweeper = undefined;
      return;
    }
    for (const body of this.arriving) {
      const refusal = this.callers.refusalOf(body.request.caller) ?? body.slowness();
      if (refusal) body.refuse(refusal);
    }
  }
}

/** The code that waits for a whole body. */
interface WaitingReader {
  resolve(body: Buffer | Promise<Buffer>): void;
  reject(reason: Error): void;
}

/** One body that is arriving. */
class ArrivingBody {
  /** The only piece so far, as of nearly every body, or all pieces. */
  private first: Buffer | undefined;
  private parts: BodyParts | undefined;
  private received = 0;
  /** Number of counted bytes: small bodies may exceed the share of their key. */
  private counted = 0;
  private refusal: GatewayError | undefined;
  private waiting: WaitingReader | undefined;
  private isDue = false;
  private seconds = 0;
  private silentSeconds = 0;
  private receivedBefore = 0;

  /** @param isSmall below `SMALL_BODY_BYTES` by its head */
  constructor(
    readonly request: AuthenticatedRequest,
    private readonly held: HeldBytes,
    private readonly terms: BodyTerms,
    private readonly isSmall: boolean,
  ) {}

  /**
   * Resolves with the body when it is complete. Bytes received with the head are taken at once, and so is a small body;
   * the rest is read in slices that alternate between all bodies: until then it waits in the socket, and the sender
   * with it.
   */
  arrive(): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      this.waiting = { resolve, reject };
      // After these events there are more bytes, or there never will be.
      this.request.on('readable', this.onReadable).on('close', this.step);
      this.step();
    });
  }

  private readonly onReadable = (): void => {
    if (this.isSmall) this.step();
    else if (!this.isDue) this.stepInTurn();
  };

  private stepInTurn(): void {
    this.isDue = true;
    void yieldToEventLoop().then(() => {
      this.isDue = false;
      this.step();
    });
  }

  /** Takes the available bytes. */
  private readonly step = (): void => {
    const { request, waiting } = this;
    if (!waiting) return;
    try {
      if (this.refusal) throw this.refusal;
      if (request.destroyed) throw new CallerGone();
      const chunk = request.read() as Buffer | null;
      if (chunk !== null) this.take(chunk);
      if (!request.complete || request.readableLength > 0) return;
      this.end();
      waiting.resolve(this.parts ? this.parts.join() : (this.first ?? Buffer.alloc(0)));
    } catch (error) {
      this.end();
      waiting.reject(error as Error);
    }
  };

  private end(): void {
    this.waiting = undefined;
    this.request.off('readable', this.onReadable).off('close', this.step);
  }

  refuse(refusal: GatewayError): void {
    this.refusal = refusal;
    this.step();
  }

  /**
   * Call once a second. It counts calls instead of time, so that bytes that waited in the socket while this process was
   * busy, or the machine asleep, are not counted as slow.
   */
  slowness(): GatewayError | undefined {
    this.seconds++;
    this.silentSeconds = this.received === this.receivedBefore ? this.silentSeconds + 1 : 0;
    this.receivedBefore = this.received;
    // The first of them was only a part of a second.
    const due = (this.seconds - 1 - SILENT_SECONDS_MAX) * BYTES_PER_SECOND_MIN;
    if (this.silentSeconds <= SILENT_SECONDS_MAX && this.received >= due) return undefined;
    return new GatewayError('request-timed-out', 'body: did not come in time; send it again', {
      headers: { Connection: 'close' },
    });
  }

  private take(chunk: Buffer): void {
    const { terms } = this;
    const length = this.received + chunk.length;
    if (length > terms.bytesMax) throw tooLarge(terms);
    if (this.held.take(length - this.counted)) this.counted = length;
    else if (terms.takesCapacity && length >= SMALL_BODY_BYTES) throw bytesInFlightFull();
    this.received = length;
    if (piecesOf(this.request) > PIECES_MIN + length / PIECE_BYTES_MIN) throw tooManyPieces();
    if (this.parts) this.parts.add(chunk);
    else if (this.first) this.gather(this.first, chunk);
    else this.first = chunk;
  }

  private gather(first: Buffer, second: Buffer): void {
    this.parts = new BodyParts();
    this.parts.add(first);
    this.parts.add(second);
  }
}

const isTooSlow = (error: unknown): boolean => error instanceof GatewayError && error.kind === 'request-timed-out';

const tooLarge = ({ bytesMax }: BodyTerms): GatewayError =>
  new GatewayError('too-large', `body: must be at most ${bytesMax} bytes`);

const tooManyPieces = (): GatewayError =>
  new GatewayError('invalid-request', 'body: comes in too many small pieces; send larger chunks', {
    headers: { Connection: 'close' },
  });
