import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import type { Request, Response } from 'express';
import { CallerGone, GatewayError } from '../../core/errors.js';
import { isJsonObject } from '../../core/json/json.js';
import { parseJsonBody, parseLargeJsonBody } from '../../core/json/parse-json-body.js';
import { shortened } from '../../core/shortened.js';
import { LARGE, yieldToEventLoop } from '../../core/yield-to-event-loop.js';
import { Environment } from '../environment.js';
import { isClosed } from './closed.decorator.js';
import { parameterTypes } from './parameter-types.js';
import { ACCEPTS } from './route.decorators.js';

/**
 * What becomes of names that a route does not know (docs/wire/conventions.md#unknown-fields): `none` takes no body, and
 * so no name at all; `closed` refuses them by name; all others keep them.
 */
type BodyForm = 'none' | 'closed' | 'open';

const FORMS = new WeakMap<object, BodyForm>();

/** Methods whose bodies are read. */
const WITH_BODY = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);
const RETRY_AFTER_FULL_MS = 1_000;
/**
 * Bytes of a body after which others have their turn: a socket that has more is read on, up to two megabytes in one go.
 */
const TURN_BYTES = 512 * 1024;

/**
 * Reads JSON bodies, as the last of the guards: nothing is read for strangers. Sets `request.body`. A guard rather than
 * an interceptor because any interceptor makes Nest run the handler inside an Observable, on every request
 * (docs/decisions/0006). 415 for other types, 413 above the limit, 503 while too many bytes of bodies are in flight,
 * 400 for what is not strict JSON, and for members of a body where the route takes none: of such a body no type is
 * asked, for clients send an empty one, or `{}`, of whatever type.
 */
@Injectable()
export class JsonBodyGuard implements CanActivate {
  private bytesInFlight = 0;

  constructor(private readonly environment: Environment) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    if (!WITH_BODY.has(request.method) || hasNoBody(request)) return true;
    const response = http.getResponse<Response>();
    const form = bodyFormOf(context);
    if (form !== 'none') requireJson(request);
    // One who left while the key was looked up is not told of again.
    if (request.destroyed || response.closed) throw new CallerGone();
    const declared = Number(request.headers['content-length'] ?? 0);
    let reserved = 0;
    // A body counts for as long as its request is answered: attempts are encoded from it.
    response.once('close', () => (this.bytesInFlight -= reserved));
    const admit = (bytes: number): GatewayError | undefined => {
      if (bytes > this.environment.bodyBytesMax) return this.tooLarge();
      if (bytes <= reserved) return undefined;
      if (this.bytesInFlight + bytes - reserved > this.environment.bodiesInFlightBytesMax) return tooManyBodies();
      this.bytesInFlight += bytes - reserved;
      reserved = bytes;
      return undefined;
    };
    const refusal = admit(declared);
    if (refusal) throw refusal;
    if (request.headers.expect !== undefined) response.writeContinue();
    const bytes = await readBytes(request, declared, admit);
    if (form === 'none' && bytes.length === 0) return true;
    const refusesUnknown = form !== 'open';
    const body =
      bytes.length < LARGE ? parseJsonBody(bytes, refusesUnknown) : await parseLargeJsonBody(bytes, refusesUnknown);
    if (form === 'none') refuseMembers(body);
    else request.body = body;
    return true;
  }

  private tooLarge(): GatewayError {
    return new GatewayError('too-large', `body: must be at most ${this.environment.bodyBytesMax} bytes`);
  }
}

/** The form of the body that the route of a request takes. Worked out once for each route. */
function bodyFormOf(context: ExecutionContext): BodyForm {
  const handler = context.getHandler();
  let form = FORMS.get(handler);
  if (!form) FORMS.set(handler, (form = formOf(context)));
  return form;
}

function formOf(context: ExecutionContext): BodyForm {
  const handler = context.getHandler();
  const controller = context.getClass();
  const accepts: unknown = Reflect.getMetadata(ACCEPTS, handler) ?? Reflect.getMetadata(ACCEPTS, controller);
  // Bodies of inference are no parameters of their handlers.
  if (accepts !== 'management') return 'open';
  const [dto] = parameterTypes(controller, handler.name, RouteParamtypes.BODY);
  if (dto === undefined) return 'none';
  return isClosed(dto as object) ? 'closed' : 'open';
}

/** @throws GatewayError `invalid-request`, naming the first member of a body that should have none */
function refuseMembers(body: unknown): void {
  if (!isJsonObject(body)) throw new GatewayError('invalid-request', 'body: must be an object');
  const [first] = Object.keys(body);
  if (first === undefined) return;
  throw new GatewayError('invalid-request', `${shortened(first)}: is not a known field; this route takes no body`);
}

function tooManyBodies(): GatewayError {
  return new GatewayError('unavailable', 'Too many large requests are in flight; retry shortly.', {
    retryAfterMs: RETRY_AFTER_FULL_MS,
  });
}

/**
 * Collects a body. `admit` is told how many bytes have come; when it refuses, the rest is left unread.
 * @param declared its length, where the caller says so: each chunk is then put in its place as it comes,
 *   and none waits to be copied
 */
function readBytes(
  request: Request,
  declared: number,
  admit: (received: number) => GatewayError | undefined,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let whole: Buffer | undefined;
    let received = 0;
    let turnAt = TURN_BYTES;
    const leave = (): void => {
      request.off('data', take).off('end', end).off('close', gone).off('error', gone);
    };
    const take = (chunk: Buffer): void => {
      const refusal = admit(received + chunk.length);
      if (refusal) {
        leave();
        request.pause();
        reject(refusal);
        return;
      }
      if (chunk.length < declared) (whole ??= Buffer.allocUnsafe(declared)).set(chunk, received);
      else chunks.push(chunk);
      received += chunk.length;
      if (received < turnAt) return;
      turnAt = received + TURN_BYTES;
      request.pause();
      void yieldToEventLoop().then(() => request.resume());
    };
    const end = (): void => {
      leave();
      resolve(whole?.subarray(0, received) ?? (chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, received)));
    };
    const gone = (): void => {
      leave();
      reject(new CallerGone());
    };
    request.on('data', take).on('end', end).on('close', gone).on('error', gone);
  });
}

function hasNoBody({ headers }: Request): boolean {
  if (headers['transfer-encoding'] !== undefined) return false;
  // Clients say of a POST without a body that it has no bytes; of an empty one that was meant to be JSON
  // they say the type as well.
  return headers['content-length'] === undefined || (headers['content-length'] === '0' && !headers['content-type']);
}

function requireJson({ headers }: Request): void {
  const contentType = headers['content-type'];
  // What nearly everybody sends.
  if (contentType !== 'application/json') requireJsonType(contentType ?? '');
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new GatewayError('unsupported-media-type', 'content-encoding: must be identity');
  }
}

function requireJsonType(contentType: string): void {
  const [type = '', ...parameters] = contentType.toLowerCase().split(';', 8);
  if (type.trim() !== 'application/json') {
    throw new GatewayError('unsupported-media-type', 'content-type: must be application/json');
  }
  const charset = parameters.map((parameter) => parameter.trim()).find((parameter) => parameter.startsWith('charset='));
  if (charset !== undefined && !/^charset="?utf-?8"?$/.test(charset)) {
    throw new GatewayError('unsupported-media-type', 'content-type: the charset must be utf-8');
  }
}
