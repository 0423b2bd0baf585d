import { bySession } from '../app/session.js';
import { OPERATIONS, type Operations } from './schema.js';
import { ApiFailure, send } from './transport.js';

export type OperationId = keyof Operations;
export type ReplyOf<Id extends OperationId> = Operations[Id]['reply'];

/** Inputs of an operation: parameters of its path and its query, and its body. */
export interface Inputs<Id extends OperationId> {
  readonly path?: Operations[Id]['path'];
  readonly query?: Operations[Id]['query'];
  readonly body?: Operations[Id]['body'];
}

const BASE = 'api/v1';

/** Browsers resolve such a part of an address, however it is spelt: it would name another operation. */
const STEPS = new Set(['.', '..']);

/**
 * The address of an operation, below the root of the gateway. Parameters without a value are left out.
 * @throws ApiFailure for a parameter that no part of an address can be
 */
export function operationPath<Id extends OperationId>(
  id: Id,
  { path, query }: Pick<Inputs<Id>, 'path' | 'query'> = {},
): string {
  const named = (path ?? {}) as Readonly<Record<string, string>>;
  const place = OPERATIONS[id].path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = named[name]!;
    if (STEPS.has(value)) throw new ApiFailure(`“${value}” cannot be a part of an address.`, 0, null);
    return encodeURIComponent(value);
  });
  const given = Object.entries((query ?? {}) as Readonly<Record<string, string | readonly string[] | undefined>>);
  const pairs = given.flatMap(([name, value]) =>
    [value ?? []].flat().map((one): [string, string] => [name, String(one)]),
  );
  const search = new URLSearchParams(pairs).toString();
  return `${BASE}${place}${search === '' ? '' : `?${search}`}`;
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
  bySession(() => send<ReplyOf<Id>>(OPERATIONS[id].method, operationPath(id, inputs), { body: inputs.body, signal }));
