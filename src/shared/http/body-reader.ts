import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { CallerGone, GatewayError } from '../../core/errors.js';
import { yieldToEventLoop } from '../../core/yield-to-event-loop.js';
import { BytesInFlight, noRoomInFlight, type HeldBytes } from '../bytes-in-flight.js';
import { OpenItems } from '../open-items.js';
import { CallerStanding } from './caller-standing.js';
import type { AuthenticatedRequest } from './route.decorators.js';

/** Bodies of fewer bytes never wait for room. */
export const SMALL_BODY_BYTES = 64 * 1024;
/** How long a body may come without one byte, and how long any body has before its pace counts. */
const SILENT_SECONDS_MAX = 20;
/**
 * Slowest pace of a whole body: 64 kbit/s, of the slowest links anybody uploads over. Who keeps just to it holds a
 * connection for as long as his bytes are many, and no longer.
 */
const BYTES_PER_SECOND_MIN = 8 * 1024;
const SWEEP_MS = 1_000;
/**
 * Bytes of a body after which others have their turn: a socket that has more is read on, up to two megabytes in one go.
 */
const TURN_BYTES = 512 * 1024;

/** @returns the longest that a body of so many bytes can take to come, in milliseconds */
export const bodyMsMax = (bytes: number): number => (SILENT_SECONDS_MAX + 1 + bytes / BYTES_PER_SECOND_MIN) * 1_000;

/** What holds for the bodies of a route. */
export interface BodyTerms {
  readonly bytesMax: number;
  /** Whether a large one is refused while there is no room for it. */
  readonly needsRoom: boolean;
}

/**
 * Reads bodies, each within what its key may hold (docs/wire/limits.md#bodies-in-flight). Memory is taken for what has
 * come, never for what was promised. Once a second those that are still coming are looked at: one without progress, or
 * too slow on the whole, ends, and so does one whose key is good no more.
 */
@Injectable()
export class BodyReader {
  private readonly arriving = new OpenItems<ArrivingBody>();
  private sweeper: NodeJS.Timeout | undefined;

  constructor(
    private readonly bytesInFlight: BytesInFlight,
    private readonly callers: CallerStanding,
  ) {}

  /**
   * @returns the whole body. Its bytes count until the request is answered, for attempts are encoded from it; those of
   *   one that was not read to its end are given back at once
   * @throws GatewayError `too-large`, before anything is read where the caller has said so; `unavailable`: no room;
   *   `request-timed-out`; `unauthenticated`: its key is good no more
   * @throws CallerGone
   */
  async read(request: AuthenticatedRequest, response: Response, terms: BodyTerms): Promise<Buffer> {
    const { headers } = request;
    const promised = Number(headers['content-length'] ?? terms.bytesMax);
    if (promised > terms.bytesMax) throw tooLarge(terms);
    const held = this.bytesInFlight.open(request.caller.keyHash);
    request.heldBytes = held;
    response.once('close', () => held.release());
    if (headers.expect !== undefined) response.writeContinue();
    const body = new ArrivingBody(request, held, terms, promised);
    const place = this.arriving.add(body);
    this.sweeper ??= setInterval(() => this.sweep(), SWEEP_MS).unref();
    try {
      return await body.arrive();
    } catch (error) {
      held.release();
      throw error;
    } finally {
      this.arriving.remove(place);
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

/** One body on its way. */
class ArrivingBody {
  private space: Buffer | undefined;
  private received = 0;
  /** How much of it is counted: what never waits may be more than its key's share. */
  private counted = 0;
  private turnAt = TURN_BYTES;
  private refusal: GatewayError | undefined;
  private wake: (() => void) | undefined;
  private seconds = 0;
  private silentSeconds = 0;
  private receivedBefore = 0;

  /** @param lengthMax how long it can be, by its head, in bytes */
  constructor(
    readonly request: AuthenticatedRequest,
    private readonly held: HeldBytes,
    private readonly terms: BodyTerms,
    private readonly lengthMax: number,
  ) {}

  /**
   * Takes what has come.
   * @returns whether that is all
   */
  private advance(): boolean {
    const { request } = this;
    if (this.refusal) throw this.refusal;
    if (request.destroyed) throw new CallerGone();
    const chunk = request.read() as Buffer | null;
    if (chunk !== null) this.take(chunk);
    return request.complete && request.readableLength === 0;
  }

  /** Resolves with all of it when that has come. */
  async arrive(): Promise<Buffer> {
    const { request } = this;
    const wake = (): void => this.wake?.();
    // After these there is more of it to be seen, or there never will be.
    request.on('readable', wake).on('close', wake);
    try {
      while (!this.advance()) {
        if (this.received < this.turnAt) await new Promise<void>((resolve) => (this.wake = resolve));
        else {
          this.turnAt = this.received + TURN_BYTES;
          await yieldToEventLoop();
        }
      }
    } finally {
      request.off('readable', wake).off('close', wake);
    }
    return this.space?.subarray(0, this.received) ?? Buffer.alloc(0);
  }

  refuse(refusal: GatewayError): void {
    this.refusal = refusal;
    this.wake?.();
  }

  /**
   * To be asked once a second. It counts how often it was asked, not the time: what waited in the socket while this
   * process was busy, or the machine asleep, is nobody's fault.
   */
  slowness(): GatewayError | undefined {
    this.seconds++;
    this.silentSeconds = this.received === this.receivedBefore ? this.silentSeconds + 1 : 0;
    this.receivedBefore = this.received;
    // The first of them was only a part of a second.
    const due = (this.seconds - 1 - SILENT_SECONDS_MAX) * BYTES_PER_SECOND_MIN;
    if (this.silentSeconds <= SILENT_SECONDS_MAX && this.received >= due) return undefined;
    return new GatewayError('request-timed-out', 'body: did not come in time; send it again.', {
      headers: { Connection: 'close' },
    });
  }

  private take(chunk: Buffer): void {
    const { terms } = this;
    const length = this.received + chunk.length;
    if (length > terms.bytesMax) throw tooLarge(terms);
    if (this.held.take(length - this.counted)) this.counted = length;
    else if (terms.needsRoom && length >= SMALL_BODY_BYTES) throw noRoomInFlight();
    // What came in one piece, as nearly every body does, stays where it is.
    if (this.space === undefined) this.space = chunk;
    else this.append(chunk, this.space);
    this.received = length;
  }

  private append(chunk: Buffer, before: Buffer): void {
    const at = this.received;
    let space = before;
    if (at + chunk.length > space.length) {
      space = Buffer.allocUnsafe(Math.min(this.lengthMax, Math.max(2 * (at + chunk.length), SMALL_BODY_BYTES)));
      space.set(before.subarray(0, at));
      this.space = space;
    }
    space.set(chunk, at);
  }
}

const tooLarge = ({ bytesMax }: BodyTerms): GatewayError =>
  new GatewayError('too-large', `body: must be at most ${bytesMax} bytes`);
