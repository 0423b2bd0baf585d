import { Catch, HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { Request, Response } from 'express';
import { CallerGone, GatewayError, withMetadata, type ErrorDetail } from '../../core/errors.js';
import type { JsonObject } from '../../core/json/json.js';
import { asGatewayError } from './as-gateway-error.js';
import { withDocsAddress } from './own-address.js';
import { SMALL_BODY_BYTES } from './server/body-reader.js';
import { endWhenRead, isComing } from './server/end-when-read.js';
import { APPEARANCES, ERROR_BODIES, errorFamily, errorHeaders } from './error-views.js';
import { NoSuchAddress, noSuchAddress } from './no-such-address.js';
import { logRefusal } from './request-log.js';
import { routesOf, type RoutesAt } from './route-table.js';

export const GENERATION_ID_HEADER = 'X-Generation-Id';

/**
 * Only here does an error become a reply. An unknown failure becomes one fixed sentence; the log has the
 * details.
 */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    this.answer(thrown, http.getRequest<Request>(), http.getResponse<Response>());
  }

  /** The last Express handler, after every route: Express's own default would be a page of HTML. */
  answerUnknownRoute(request: Request, response: Response): void {
    this.answer(routeError(request), request, response);
  }

  /**
   * For code that continues after its handler has returned.
   * @param more `extras`: keys that are added to the body; `metadata`: to `error.metadata`
   */
  answer(
    thrown: unknown,
    request: Request,
    response: Response,
    more: { readonly extras?: JsonObject | undefined; readonly metadata?: ErrorDetail['metadata'] | undefined } = {},
  ): void {
    if (thrown instanceof CallerGone || response.headersSent || response.destroyed) {
      // The client has disconnected, or a stream's own writer has already sent the error.
      response.destroy();
      return;
    }
    const error = withMetadata(withDocsAddress(this.gatewayError(thrown, request), request), more.metadata);
    const { status } = APPEARANCES[error.kind];
    logRefusal(response, error.kind, error.detail.metadata);
    const requestId = response.getHeader(GENERATION_ID_HEADER);
    const family = error instanceof NoSuchAddress ? error.family : errorFamily(pathOf(request));
    const body = ERROR_BODIES[family](error, {
      requestId: typeof requestId === 'string' ? requestId : null,
      extras: more.extras,
    });
    const json = JSON.stringify(body);
    response.writeHead(status, {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': Buffer.byteLength(json),
      ...errorHeaders(error),
      ...(abandonsBody(request) && { Connection: 'close' }),
    });
    if (isComing(request)) endWhenRead(request, response, json);
    else response.end(json);
  }

  private gatewayError(thrown: unknown, request: Request): GatewayError {
    if (thrown instanceof HttpException && thrown.getStatus() === 404) return routeError(request);
    // The path in the URL is not valid percent-encoding: Express reports that as a plain error with status 400.
    if (!(thrown instanceof GatewayError) && statusOf(thrown) === 400) {
      return new GatewayError('invalid-request', 'path: is not a valid URL path');
    }
    return asGatewayError(thrown);
  }
}

function routeError(request: Request): GatewayError {
  const { method } = request;
  const routes = routesOf(request.app).at(pathOf(request), method);
  if (routes.methods.length === 0) return noSuchAddress(request, pathOf(request));
  return new GatewayError('method-not-allowed', notAllowed(method, routes), {
    headers: { Allow: routes.methods.join(', ') },
  });
}

/** Explains what a word in the path was read as, for callers that took it for an address, as in `/keys/regenerate`. */
function notAllowed(method: string, { methods, pattern, below }: RoutesAt): string {
  const where = pattern.includes('{') ? `at ${pattern}, which this address was read as` : 'here';
  const others = below.map((path) => `, or ${method} at ${path}`).join('');
  return `${method} is not allowed ${where}; use ${anyOf(methods)}${others}.`;
}

const anyOf = (words: readonly string[]): string =>
  words.length < 3 ? words.join(' or ') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;

/**
 * The whole path: an unmatched request ends in a router that Nest mounts at the base path, where Express's `path`
 * begins.
 */
const pathOf = (request: Request): string => request.baseUrl + request.path;

/**
 * Whether the connection ends with the answer, because the rest of the body is not worth reading. Where the client
 * waits for `100 Continue`, and may or may not send the body, Node ends it by itself.
 */
function abandonsBody(request: Request): boolean {
  return isComing(request) && !(Number(request.headers['content-length']) < SMALL_BODY_BYTES);
}

function statusOf(thrown: unknown): unknown {
  return typeof thrown === 'object' && thrown !== null && 'status' in thrown ? thrown.status : undefined;
}
