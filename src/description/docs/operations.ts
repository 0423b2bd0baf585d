import type { JsonObject } from '../../core/json/json.js';
import type { Parameter } from './fields-printer.js';
import { nameIn, type Schema } from './schema-words.js';

/** A reply of the document, or a reference to one. */
export interface DocumentReply {
  readonly $ref?: string;
  readonly description?: string;
  readonly headers?: Readonly<Record<string, { readonly description: string }>>;
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}

interface DocumentOperation {
  readonly operationId: string;
  readonly tags: readonly [string];
  readonly summary: string;
  readonly description?: string;
  readonly security: readonly object[];
  readonly 'x-key-kind'?: 'management' | 'inference';
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly content: Readonly<
      Record<
        string,
        { readonly schema: Schema; readonly examples?: Readonly<Record<string, { readonly value: JsonObject }>> }
      >
    >;
  };
  readonly responses: Readonly<Record<string, DocumentReply>>;
}

/** An operation of the document, with its path. */
export interface Operation extends DocumentOperation {
  /** Method in upper case. */
  readonly method: string;
  /** Below `server`. */
  readonly path: string;
  /** The first path that it is served below; empty: the root. */
  readonly server: string;
}

interface Document {
  readonly servers: readonly [{ readonly url: string }];
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** The operations in the order of the document. */
export function operationsOf(document: JsonObject): readonly Operation[] {
  const { servers, paths } = document as unknown as Document;
  return Object.entries(paths).flatMap(([path, item]) => {
    const [{ url }] = (item['servers'] as typeof servers | undefined) ?? servers;
    const server = url.replace(/\/$/, '');
    return Object.entries(item)
      .filter(([name]) => name !== 'servers')
      .map(([method, operation]) => ({
        ...(operation as DocumentOperation),
        method: method.toUpperCase(),
        path,
        server,
      }));
  });
}

/** The operation whose whole body a named form is: of several, the first. */
export type BodyOwners = ReadonlyMap<string, Operation>;

export function bodyOwners(operations: readonly Operation[]): BodyOwners {
  const owners = new Map<string, Operation>();
  for (const operation of operations) {
    const name = nameIn(operation.requestBody?.content['application/json']?.schema ?? {});
    if (name !== undefined && !owners.has(name)) owners.set(name, operation);
  }
  return owners;
}
