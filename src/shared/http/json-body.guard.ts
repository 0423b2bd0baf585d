import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';
import { CallerGone, GatewayError } from '../../core/errors.js';
import { isJsonObject } from '../../core/json/json.js';
import { readJsonBody } from '../../core/json/parse-json-body.js';
import { shortened } from '../../core/shortened.js';
import { Environment } from '../environment.js';
import { BodyReader, type BodyTerms } from './server/body-reader.js';
import { isClosed } from './closed.decorator.js';
import { readsItsBody } from './small-body.js';
import { dropUnread } from './server/end-when-read.js';
import { parameterTypes } from './parameter-types.js';
import { ACCEPTS, type AuthenticatedRequest } from './route.decorators.js';

/**
 * Treatment of unknown names (docs/use/conventions.md#unknown-fields): `none` takes no body, and so no name at all;
 * `closed` refuses them by name; `open` keeps them. The handler reads its `own`.
 */
type BodyForm = 'none' | 'closed' | 'open' | 'own';

/** The properties of a route's bodies. */
interface RouteBody {
  readonly form: BodyForm;
  readonly isManagement: boolean;
}

const ROUTE_BODIES = new WeakMap<object, RouteBody>();

/** Methods whose bodies are read. */
const WITH_BODY = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);
/** Limit of a body of management, which consists of names and numbers: lists of a hundred of them at most. Chosen. */
const MANAGEMENT_BODY_BYTES_MAX = 1024 * 1024;

/**
 * Reads JSON bodies into `request.body`, as the last guard: nothing is read without authentication, and routes without
 * an interceptor keep their handlers outside Observables (docs/contribute/decisions/0002). Errors: 415 for other types,
 * those of `BodyReader.read`, and 400 for anything but strict JSON. A route without a body accepts an empty one or `{}`
 * of any type, because clients send these, and refuses members with 400.
 */
@Injectable()
export class JsonBodyGuard implements CanActivate {
  private readonly ofManagement: BodyTerms;
  private readonly ofOthers: BodyTerms;

  constructor(
    private readonly reader: BodyReader,
    { bodyBytesMax }: Environment,
  ) {
    // Full body memory must not prevent administrators from managing.
    this.ofManagement = { bytesMax: Math.min(MANAGEMENT_BODY_BYTES_MAX, bodyBytesMax), takesCapacity: false };
    this.ofOthers = { bytesMax: bodyBytesMax, takesCapacity: true };
  }

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<AuthenticatedRequest>();
    if (hasNoBody(request)) return true;
    const response = http.getResponse<Response>();
    if (!WITH_BODY.has(request.method)) {
      dropUnread(request, response);
      return true;
    }
    const route = ROUTE_BODIES.get(context.getHandler()) ?? readRouteBody(context);
    if (route.form === 'own') return true;
    const { 'content-type': type, 'content-encoding': encoding } = request.headers;
    // The header that nearly all clients send is accepted without parsing.
    if (route.form !== 'none' && (type !== JSON_TYPE || encoding !== undefined)) requireJson(type, encoding);
    // A client that disconnected during the key look-up emits no further event.
    if (request.destroyed || response.destroyed) throw new CallerGone();
    const terms = route.isManagement ? this.ofManagement : this.ofOthers;
    const bytes = this.reader.takeArrived(request, response, terms);
    if (bytes !== undefined) return setBody(request, bytes, route);
    return this.reader.read(request, response, terms).then((read) => setBody(request, read, route));
  }
}

/** The metadata of a route, read once. */
function readRouteBody(context: ExecutionContext): RouteBody {
  const handler = context.getHandler();
  const accepts: unknown = Reflect.getMetadata(ACCEPTS, handler) ?? Reflect.getMetadata(ACCEPTS, context.getClass());
  const isManagement = accepts === 'management';
  const body: RouteBody = { form: formOf(context, isManagement), isManagement };
  ROUTE_BODIES.set(handler, body);
  return body;
}

function formOf(context: ExecutionContext, isManagement: boolean): BodyForm {
  if (readsItsBody(context.getHandler())) return 'own';
  const [dto] = parameterTypes(context.getClass(), context.getHandler().name, 'body');
  if (dto !== undefined && isClosed(dto as object)) return 'closed';
  return isManagement && dto === undefined ? 'none' : 'open';
}

/** Sets `request.body` to the parsed bytes. */
function setBody(request: AuthenticatedRequest, bytes: Buffer, { form }: RouteBody): boolean | Promise<boolean> {
  if (form === 'none' && bytes.length === 0) return true;
  const body = readJsonBody(bytes, form !== 'open');
  if (body instanceof Promise) return body.then((read: unknown) => keepBody(request, read, form));
  return keepBody(request, body, form);
}

function keepBody(request: AuthenticatedRequest, body: unknown, form: BodyForm): true {
  if (form === 'none') refuseMembers(body);
  else request.body = body;
  return true;
}

/** @throws GatewayError `invalid-request`, naming the first member of a body that should have none */
function refuseMembers(body: unknown): void {
  if (!isJsonObject(body)) throw new GatewayError('invalid-request', 'body: must be an object');
  const [first] = Object.keys(body);
  if (first === undefined) return;
  throw new GatewayError('invalid-request', `${shortened(first)}: is not a known field; this route takes no body`);
}

function hasNoBody({ headers }: Request): boolean {
  if (headers['transfer-encoding'] !== undefined) return false;
  // Clients send a POST without a body with length 0; an empty one that was meant to be JSON also has a type.
  return headers['content-length'] === undefined || (headers['content-length'] === '0' && !headers['content-type']);
}

const JSON_TYPE = 'application/json';

function requireJson(contentType: string | undefined, encoding: string | undefined): void {
  if (contentType !== JSON_TYPE) requireJsonType(contentType ?? '');
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new GatewayError('unsupported-media-type', 'content-encoding: must be identity');
  }
}

function requireJsonType(contentType: string): void {
  const [type = '', ...parameters] = contentType.toLowerCase().split(';', 8);
  if (type.trim() !== JSON_TYPE) {
    throw new GatewayError('unsupported-media-type', 'content-type: must be application/json');
  }
  const charset = parameters.map((parameter) => parameter.trim()).find((parameter) => parameter.startsWith('charset='));
  if (charset !== undefined && !/^charset="?utf-?8"?$/.test(charset)) {
    throw new GatewayError('unsupported-media-type', 'content-type: the charset must be utf-8');
  }
}
