import { bySession } from '../app/session.js';
import { OPERATIONS, type Operations } from './schema.js';
import { send } from './transport.js';

export type OperationId = keyof Operations;
export type ReplyOf<Id extends OperationId> = Operations[Id]['reply'];

/** What an operation takes: a query, a body, or nothing. */
export interface Inputs<Id extends OperationId> {
  readonly query?: Operations[Id]['query'];
  readonly body?: Operations[Id]['body'];
}

const BASE = 'api/v1';

/** The address of an operation, below the root of the gateway. Parameters without a value are left out. */
export function operationPath<Id extends OperationId>(id: Id, query?: Operations[Id]['query']): string {
  const given = Object.entries((query ?? {}) as Readonly<Record<string, string | readonly string[] | undefined>>);
  const pairs = given.flatMap(([name, value]) =>
    [value ?? []].flat().map((one): [string, string] => [name, String(one)]),
  );
  const search = new URLSearchParams(pairs).toString();
  return `${BASE}${OPERATIONS[id].path}${search === '' ? '' : `?${search}`}`;
}

/**
 * Calls an operation of the API.
 * @throws ApiFailure, and the reason of the signal
 */
export const call = <Id extends OperationId>(
  id: Id,
  inputs: Inputs<Id> = {},
  signal?: AbortSignal,
): Promise<ReplyOf<Id>> =>
  bySession(() =>
    send<ReplyOf<Id>>(OPERATIONS[id].method, operationPath(id, inputs.query), { body: inputs.body, signal }),
  );
