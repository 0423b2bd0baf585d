import type { ErrorKind } from '../core/errors.js';
import type { JsonObject } from '../core/json/json.js';
import { BASE_PATH } from '../shared/http/base-path.js';
import { ERROR_SCHEMAS } from '../shared/http/error-schemas.js';
import { APPEARANCES, errorFamily, type ErrorFamily } from '../shared/http/error-views.js';
import type { DescribedRoute } from './route.js';
import { titleOf, type SchemaPrinter } from './schema-printer.js';

/** Descriptions of error kinds. A kind without a row does not compile. */
export const MEANINGS: Readonly<Record<ErrorKind, string>> = {
  'invalid-request': 'The request is not valid; the message names the field.',
  'context-too-long': 'The prompt does not fit the model’s context.',
  unauthenticated: 'The key is missing, unknown, disabled, deleted or expired.',
  'payment-required': 'The account’s credits or the key’s limit do not cover what this may cost.',
  forbidden: 'The key is of the wrong kind or bound to a workspace, or a budget or guardrail does not allow this.',
  'not-found': 'It does not exist, or belongs to another account.',
  'method-not-allowed': 'The route takes other methods.',
  conflict: 'The existing state does not allow this.',
  'request-timed-out': 'The body did not arrive in time.',
  'too-large': 'The body is too large.',
  'unsupported-media-type': 'The body is not declared as JSON.',
  unprocessable: 'The provider cannot process the request.',
  'rate-limited': 'Too many requests; `Retry-After` states the wait, if it is known.',
  'headers-too-large': 'The headers are too large.',
  'client-closed': 'The client has closed the connection.',
  internal: 'The gateway has failed.',
  'upstream-failed': 'No provider could answer.',
  unavailable: 'All providers are busy or down; try again shortly.',
  'service-unavailable': 'The gateway is busy, stopping, or without its database; try again shortly.',
  'timed-out': 'No provider has answered in time.',
  overloaded: 'The provider is overloaded.',
};

const RETRY_AFTER: JsonObject = {
  'Retry-After': { description: 'Whole seconds to wait before a retry.', schema: { type: 'integer' } },
};
const HAS_RETRY_AFTER = new Set<ErrorKind>(['rate-limited', 'unavailable', 'service-unavailable']);

/** The error kinds that follow from the form of a route. */
function kindsOf(route: DescribedRoute): ReadonlySet<ErrorKind> {
  const kinds: ErrorKind[] = ['headers-too-large', ...(route.answer.errors ?? [])];
  if (!route.isOpen) kinds.push('unauthenticated', 'rate-limited', 'service-unavailable');
  if (route.keyKind) kinds.push('forbidden');
  if (route.bodies.length > 0)
    kinds.push('invalid-request', 'request-timed-out', 'too-large', 'unsupported-media-type', 'service-unavailable');
  // Queries of management routes are checked for unknown fields.
  if (route.query || (route.keyKind === 'management' && route.method === 'get')) kinds.push('invalid-request');
  if (route.pathParameters.length > 0) kinds.push('invalid-request', 'not-found');
  return new Set(kinds);
}

/** Path of the error replies in the document. */
const COMPONENTS = '#/components/responses/';

const FAMILY_NAMES: Readonly<Record<ErrorFamily, string>> = { messages: 'Messages', chat: 'Chat', generic: '' };

/** The error replies of all operations: each form is printed once and referenced. */
export class ErrorReplies {
  private readonly printed = new Map<string, JsonObject>();

  constructor(private readonly printer: SchemaPrinter) {}

  /** The replies of one operation by status, and `default` for all other failures. */
  of(route: DescribedRoute): JsonObject {
    const family = errorFamily(BASE_PATH + route.path);
    const byStatus = new Map<number, ErrorKind[]>();
    for (const kind of kindsOf(route)) {
      const { status } = APPEARANCES[kind];
      byStatus.set(status, [...(byStatus.get(status) ?? []), kind].sort());
    }
    const replies = [...byStatus]
      .sort(([a], [b]) => a - b)
      .map(([status, kinds]): [string, JsonObject] => [String(status), this.refer(family, kinds)]);
    return { ...Object.fromEntries(replies), default: this.refer(family, []) };
  }

  /** All referenced replies by name, in alphabetical order. */
  components(): JsonObject {
    return Object.fromEntries([...this.printed].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** @param kinds that share a form; empty for all others */
  private refer(family: ErrorFamily, kinds: readonly ErrorKind[]): JsonObject {
    const name = FAMILY_NAMES[family] + (kinds.length > 0 ? kinds.map(titleOf).join('Or') : 'Failure');
    if (!this.printed.has(name)) this.printed.set(name, this.print(family, kinds));
    return { $ref: COMPONENTS + name };
  }

  private print(family: ErrorFamily, kinds: readonly ErrorKind[]): JsonObject {
    const { name, schema } = ERROR_SCHEMAS[family];
    return {
      description: kinds.length > 0 ? kinds.map((kind) => MEANINGS[kind]).join(' ') : 'Any other failure.',
      ...(kinds.some((kind) => HAS_RETRY_AFTER.has(kind)) && { headers: RETRY_AFTER }),
      content: { 'application/json': { schema: this.printer.refer(name, () => schema) } },
    };
  }
}
