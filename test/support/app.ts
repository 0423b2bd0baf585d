import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DialectId } from '../../src/core/routing/catalog.js';
import { startApp, type Gateway } from '../../src/bootstrap/app.js';
import type { Clock } from '../../src/core/time.js';
import { Description } from '../../src/description/description.js';
import { HealthRegistry } from '../../src/endpoint-health/health-registry.js';
import { PinoLogger } from '../../src/shared/telemetry/logger.js';
import { readEnvironment } from '../../src/shared/read-environment.js';
import { Metrics } from '../../src/shared/telemetry/metrics.js';
import type { TestDatabase } from './database.js';
import { ApiDescription } from './description.js';
import type { JsonBody } from './recorded-request.js';

export const API_KEY = 'test-inference-key-0123456789';
export const MANAGEMENT_KEY = 'test-management-key-0123456789';
/** For gateways on PostgreSQL: the id is `test`. */
export const ENCRYPTION_KEY = `test:${Buffer.alloc(32, 'test-encryption-key').toString('base64')}`;
const ROOT = join(__dirname, '..', '..');

export interface GatewayOptions {
  /** Variables as a user would set them, in addition to the port, the keys and the database. */
  readonly variables?: NodeJS.ProcessEnv;
  /** The catalog file's content; the shipped catalog when absent. */
  readonly catalog?: object;
  readonly clock?: Clock;
  /** False: failures never put an endpoint into a cool-down. For suites whose upstreams fail repeatedly on purpose. */
  readonly coolsDown?: boolean;
}

/** A gateway under test: the real application on a loopback port. */
export interface TestGateway {
  readonly gateway: Gateway;
  /** `http://127.0.0.1:<port>` */
  readonly origin: string;
  readonly port: number;
  /** Absolute path of the catalog file it watches, when one was given. */
  readonly catalogPath: string;
  /** Parsed log lines of the gateway. */
  readonly log: { readonly [key: string]: unknown }[];
  /** Resolves after the next line of the log, a turn of the event loop later. */
  logged(): Promise<void>;
  /** Sends to a path below `/api/v1`, with the inference key by default. */
  request(path: string, init?: RequestInit & { readonly key?: string | null }): Promise<Response>;
  /** `POST /messages` with a JSON body. */
  messages(body: unknown, init?: RequestInit & { readonly key?: string | null }): Promise<Response>;
  /** The current answer of `GET /metrics`, which itself repeats its last answer under frequent requests. */
  metrics(): Promise<string>;
  /** Sends to a path below `/api/v1` with the management key. @throws when it is refused. @returns the body */
  manage(method: string, path: string, body?: object): Promise<JsonBody>;
  /** Creates an inference key with `POST /keys`. @param fields of its body; a name is always set */
  newKey(fields?: object): Promise<NewKey>;
  /** Creates a key with a guardrail of its own. @param terms of the guardrail */
  guardedKey(terms: object, fields?: object): Promise<NewKey & { readonly guardrailId: string }>;
  close(): Promise<void>;
}

export interface NewKey {
  /** In plain text, as callers send it. */
  readonly key: string;
  readonly hash: string;
}

/** Starts the application as main does, on a separate port. Close it before the suite's database. */
export async function startGateway(database: TestDatabase, options: GatewayOptions = {}): Promise<TestGateway> {
  const catalogPath = join(database.settings.dataDir, `catalog-${process.hrtime.bigint()}.json`);
  if (options.catalog) await writeFile(catalogPath, JSON.stringify(options.catalog));
  const { environment } = readEnvironment(
    {
      PORT: '0',
      FAIRLEAD_API_KEY: API_KEY,
      FAIRLEAD_MANAGEMENT_KEY: MANAGEMENT_KEY,
      // Endpoints that should only come last are very expensive. Suites about money set their own credits.
      FAIRLEAD_INITIAL_CREDITS: '100000000000000',
      // The embedded database generates its own key.
      ...(database.kind === 'postgres' && { FAIRLEAD_ENCRYPTION_KEYS: ENCRYPTION_KEY }),
      ...(options.catalog && { FAIRLEAD_CATALOG: catalogPath }),
      ...options.variables,
    },
    ROOT,
  );
  const log: { [key: string]: unknown }[] = [];
  const waiting: (() => void)[] = [];
  const logger = new PinoLogger({
    level: options.variables?.['LOG_LEVEL'] ?? 'debug',
    destination: {
      write: (line: string) => {
        log.push(JSON.parse(line));
        for (const wake of waiting.splice(0)) setImmediate(wake);
      },
    },
  });
  const gateway = await startApp({
    environment: { ...environment, ...database.settings },
    shippedCatalogPath: join(ROOT, 'catalog', 'default.yaml'),
    opener: database.opener,
    logger,
    ...(options.clock && { clock: options.clock }),
  });
  if (options.coolsDown === false) gateway.app.get(HealthRegistry).failed = () => undefined;
  const { url } = gateway;
  const request: TestGateway['request'] = async (path, { key = API_KEY, headers, ...init } = {}) => {
    const response = await fetch(`${url}/api/v1${path}`, {
      ...init,
      headers: { ...(key !== null && { authorization: `Bearer ${key}` }), ...(headers as Record<string, string>) },
    });
    await assertDescribed(gateway, init.method ?? 'GET', path, response);
    return response;
  };
  const manage: TestGateway['manage'] = async (method, path, body) => {
    const response = await request(path, {
      method,
      key: MANAGEMENT_KEY,
      ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };
  const newKey: TestGateway['newKey'] = async (fields) => {
    const { key, data } = await manage('POST', '/keys', { name: 'a key', ...fields });
    return { key, hash: data.hash };
  };
  return {
    gateway,
    origin: url,
    port: Number(new URL(url).port),
    catalogPath,
    log,
    logged: () => new Promise((resolve) => waiting.push(resolve)),
    request,
    messages: (body, init) =>
      request('/messages', {
        method: 'POST',
        body: typeof body === 'string' ? body : JSON.stringify(body),
        ...init,
        headers: { 'content-type': 'application/json', ...(init?.headers as Record<string, string>) },
      }),
    metrics: () => gateway.app.get(Metrics, { strict: false }).text(),
    manage,
    newKey,
    guardedKey: async (terms, fields) => {
      const key = await newKey(fields);
      const { data } = await manage('POST', '/guardrails', { name: 'a guardrail', ...terms });
      await manage('POST', `/guardrails/${data.id}/assignments/keys`, { key_hashes: [key.hash] });
      return { ...key, guardrailId: data.id };
    },
    close: () => gateway.stop('SIGINT'),
  };
}

/** Computed once per worker: it takes a tenth of a second, and the document is that of the release. */
const DESCRIPTION = 'description';

/** Checks every JSON reply that a suite requests through the helpers against `GET /openapi.json`. */
async function assertDescribed({ app }: Gateway, method: string, path: string, response: Response): Promise<void> {
  if (response.headers.get('content-type')?.startsWith('application/json') !== true) return;
  const kept = globalThis.__KEPT__ as Map<string, ApiDescription>;
  const description =
    kept.get(DESCRIPTION) ?? new ApiDescription(JSON.parse(await app.get(Description, { strict: false }).document()));
  kept.set(DESCRIPTION, description);
  const operation = description.find(method, path.split('?')[0]!);
  if (!operation) return;
  const body: unknown = await response.clone().json();
  const faults = description.faults(operation, response.status, 'application/json', body);
  if (faults.length > 0) throw new Error(`Not as described: ${faults.join('; ')}`);
}

/** From the third on they cost the same: an amount has fifteen digits at most. */
const zeros = (index: number): string => '0000'.repeat(Math.min(index, 2));

export interface CatalogEntry {
  /** `author/slug` */
  readonly id: string;
  /** Base URLs of the endpoints, in order. */
  readonly at: readonly {
    readonly url: string;
    readonly dialect: DialectId;
    /** How their providers treat abandoned calls; the catalog's default where absent. */
    readonly aborts?: object | undefined;
    /** Quirks of their providers. Those of Anthropic's format have its tools by default. */
    readonly quirks?: object | undefined;
    /** What their providers do with data. */
    readonly policy?: object | undefined;
  }[];
  /** Further keys of the model, and of each of its endpoints. */
  readonly model?: object;
  readonly endpoint?: object;
}

const ownQuirks = (dialect: DialectId): object | undefined =>
  dialect === 'anthropic-messages' ? { vendor_tools: 'all' } : undefined;

/**
 * A catalog whose models are served by upstreams of the test: provider slugs `p0`, `p1`, … in the order of their first
 * use. It does not extend the shipped catalog: parsing that takes a fifth of a second at each start. A suite that uses
 * its models or providers takes `extendedCatalogOf`.
 */
export function catalogOf(...entries: readonly CatalogEntry[]): object {
  const providers = new Map<string, { readonly slug: string; readonly dialect: string; readonly base_url: string }>();
  const slugOf = ({
    url,
    dialect,
    aborts,
    policy,
    quirks = ownQuirks(dialect),
  }: CatalogEntry['at'][number]): string => {
    const key = `${dialect} ${url}`;
    if (!providers.has(key)) {
      const slug = `p${providers.size}`;
      const further = { ...(aborts && { aborts }), ...(quirks && { quirks }), ...(policy && { policy }) };
      providers.set(key, { slug, dialect, base_url: url, ...further });
    }
    return providers.get(key)!.slug;
  };
  const models = entries.map(({ id, at, model, endpoint }) => ({
    id,
    name: id,
    context_length: 200_000,
    max_completion_tokens: 8_192,
    input_modalities: ['text', 'image', 'file'],
    output_modalities: ['text'],
    ...model,
    endpoints: at.map((where, index) => ({
      provider: slugOf(where),
      model: `upstream-${id.split('/')[1]}`,
      // Each is so much more expensive than the previous one that the draw, by 1/price², keeps this order.
      pricing: { prompt: `3${zeros(index)}`, completion: `15${zeros(index)}` },
      ...endpoint,
    })),
  }));
  return {
    version: 1,
    providers: [...providers.values()].map((provider) => ({
      ...provider,
      name: `Provider ${provider.slug}`,
      credential: { value: `credential-of-${provider.slug}` },
    })),
    models,
  };
}

/** The catalog of these entries, extending the shipped catalog. */
export const extendedCatalogOf = (...entries: readonly CatalogEntry[]): object => ({
  ...catalogOf(...entries),
  extends: 'default',
});
