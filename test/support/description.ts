import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { JsonBody } from './recorded-request.js';

/** One operation of the document. */
export interface DescribedOperation {
  readonly id: string;
  /** In capitals. */
  readonly method: string;
  /** As in the document: `/keys/{hash}`. */
  readonly path: string;
  /** Whether it answers without a key. */
  readonly isOpen: boolean;
  /** Names of the parameters in its path. */
  readonly parameters: readonly string[];
  /** The prefixes of the path: the base path, the root, or both. */
  readonly servers: readonly string[];
  /** Bodies by name. */
  readonly examples: Readonly<Record<string, object>>;
  /** Status of success. */
  readonly status: number;
}

/** A gateway of this process, with the lines of its log. */
interface DescribedGateway {
  readonly origin: string;
  readonly log: readonly { readonly [key: string]: unknown }[];
}

/** `GET /openapi.json` of a gateway, with its queries. */
export class ApiDescription {
  readonly operations: readonly DescribedOperation[];
  private readonly ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
  private readonly checks = new Map<string, ValidateFunction>();

  /** @param document the answer of `GET /openapi.json` */
  constructor(readonly document: JsonBody) {
    this.operations = operationsOf(document);
    // A new key of a reply must be described: an object that is described with fields counts as having no others.
    this.ajv.addSchema({ $id: 'document', ...closed(document) });
  }

  /** @throws Error with the logged reason where the document cannot be built: the answer does not state it */
  static async of({ origin, log }: DescribedGateway): Promise<ApiDescription> {
    const response = await fetch(`${origin}/openapi.json`);
    const text = await response.text();
    if (response.ok) return new ApiDescription(JSON.parse(text));
    const reasons = log.filter(({ level }) => level === 'error').map((line) => JSON.stringify(line));
    throw new Error([`GET /openapi.json: ${response.status} ${text}`, ...reasons].join('\n'));
  }

  /** The operation of a request; undefined where its path is not in the document, or not written as there. */
  find(method: string, path: string): DescribedOperation | undefined {
    const own = this.operations.filter((operation) => operation.method === method);
    return own.find((one) => one.path === path) ?? own.find((one) => patternOf(one.path).test(path));
  }

  /**
   * Violations of the description by a reply; empty: none. Only the gateway's own failures may fall under `default`.
   */
  faults({ id, path, method }: DescribedOperation, status: number, type: string, body: unknown): readonly string[] {
    const replies = this.document.paths[path][method.toLowerCase()].responses;
    const key = status >= 500 && !(status in replies) ? 'default' : String(status);
    const reference = replies[key]?.$ref as string | undefined;
    const name = reference?.split('/').at(-1);
    const reply = name === undefined ? replies[key] : this.document.components.responses[name];
    if (!reply?.content[type]) return [`${id} does not describe ${status} as ${type}`];
    const location =
      name === undefined ? ['paths', path, method.toLowerCase(), 'responses', key] : ['components', 'responses', name];
    const pointer = `document#/${[...location, 'content', type, 'schema'].map((key) => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`;
    const check = this.checks.get(pointer) ?? this.ajv.compile({ $ref: pointer });
    this.checks.set(pointer, check);
    if (check(body)) return [];
    return check.errors!.map(
      ({ instancePath, message, params }) => `${id} ${status} ${instancePath} ${message} ${JSON.stringify(params)}`,
    );
  }
}

const patternOf = (path: string): RegExp => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);

function operationsOf(document: JsonBody): DescribedOperation[] {
  return Object.entries<JsonBody>(document.paths).flatMap(
    ([path, { servers = document.servers.slice(0, 1), ...item }]) =>
      Object.entries<JsonBody>(item).map(([method, operation]) => ({
        id: operation.operationId,
        method: method.toUpperCase(),
        path,
        isOpen: operation.security.length === 0,
        parameters: [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!),
        servers: servers.map(({ url }: { url: string }) => url.replace(/\/$/, '')),
        examples: Object.fromEntries(
          Object.entries<JsonBody>(operation.requestBody?.content['application/json'].examples ?? {}).map(
            ([name, { value }]) => [name, value],
          ),
        ),
        status: Number(Object.keys(operation.responses).find((status) => status.startsWith('2'))),
      })),
  );
}

/**
 * The schema with every object that has declared fields closed to others, except where vendors and callers add their
 * own.
 */
function closed(value: JsonBody): JsonBody {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const inner = Object.fromEntries(
    Object.entries<JsonBody>(value).map(([key, member]) => [key, key === 'if' ? member : closed(member)]),
  );
  const isPlain = value.type === 'object' && value.properties && value.oneOf === undefined && value.if === undefined;
  return isPlain && value.additionalProperties === undefined ? { ...inner, additionalProperties: false } : inner;
}
