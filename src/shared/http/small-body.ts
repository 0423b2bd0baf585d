import { SetMetadata } from '@nestjs/common';
import type { Request, Response } from 'express';
import { CallerGone, GatewayError } from '../../core/errors.js';
import { parseJsonBody } from '../../core/json/parse-json-body.js';
import { dropUnread } from './server/end-when-read.js';

const OWN_BODY = 'fairlead:own-body';

/**
 * The handler reads the body by `readSmallBody`: for routes without a key, whose callers have no share of the memory.
 */
export const ReadsSmallBody = (): MethodDecorator => SetMetadata(OWN_BODY, true);

export const readsItsBody = (handler: object): boolean => Reflect.hasMetadata(OWN_BODY, handler);

/** A stranger sends a few words at once, or is not served. Chosen. */
const BYTES_MAX = 4 * 1024;
const WAIT_MS_MAX = 10_000;

/**
 * The JSON body of a stranger.
 * @throws GatewayError `unsupported-media-type`, `too-large`, `request-timed-out`, `invalid-request`
 */
export async function readSmallBody(request: Request, response: Response): Promise<unknown> {
  const { 'content-type': type = '', expect } = request.headers;
  if (!/^application\/json\s*(?:;|$)/i.test(type)) {
    dropUnread(request, response);
    throw new GatewayError('unsupported-media-type', 'content-type: must be application/json');
  }
  if (expect !== undefined) response.writeContinue();
  try {
    return parseJsonBody(await readPieces(request), true);
  } catch (error) {
    if (!request.complete) dropUnread(request, response);
    throw error;
  }
}

function readPieces(request: Request): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let length = 0;
    const settle = (end: () => void): void => {
      clearTimeout(timer);
      request.off('data', take).off('end', finish).off('close', leave);
      end();
    };
    const take = (piece: Buffer): void => {
      length += piece.length;
      pieces.push(piece);
      if (length > BYTES_MAX)
        settle(() => reject(new GatewayError('too-large', `body: must have at most ${BYTES_MAX} bytes`)));
    };
    const finish = (): void => settle(() => resolve(Buffer.concat(pieces)));
    const leave = (): void => settle(() => reject(new CallerGone()));
    const late = (): void =>
      settle(() => reject(new GatewayError('request-timed-out', 'The body did not arrive in time.')));
    const timer = setTimeout(late, WAIT_MS_MAX);
    request.on('data', take).on('end', finish).on('close', leave);
  });
}
