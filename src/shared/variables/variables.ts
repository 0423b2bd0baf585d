import {
  as,
  BODY_BYTES_CEILING,
  bytes,
  days,
  duration,
  encryptionKey,
  list,
  oneOf,
  ownKey,
  partialList,
  path,
  percent,
  rate,
  secret,
  url,
  usd,
  wholeNumber,
  type Grammar,
} from './grammars.js';
import {
  awsRegion,
  headerSecret,
  keyService,
  keyServiceAddress,
  keyServiceOrigin,
  vaultNamespace,
} from './key-service-grammars.js';
import { egressTarget, forwardProxy, host, origin, proxyNetwork, text } from './network-grammars.js';

/** One variable of the process, as shown in the documentation. */
export interface VariableRow {
  readonly name: string;
  /** As it would be written, or in words between parentheses; `–` for none. */
  readonly shownDefault: string;
  /** One line of Markdown. */
  readonly meaning: string;
  /** Its text is never printed, not even when it is invalid. */
  readonly isSecret: boolean;
}

/** A variable and how its text becomes a value; `fallback` is its value when it is not set. */
export interface Variable<T> extends VariableRow {
  readonly grammar: Grammar<T>;
  readonly fallback: () => T;
}

/**
 * A variable that is no setting by itself: `readEnvironment` combines it with others, or with the working directory.
 */
export interface RawVariable {
  readonly isRaw: true;
}

interface Description<T> {
  readonly name: string;
  readonly grammar: Grammar<T>;
  readonly meaning: string;
  readonly isSecret?: boolean;
  readonly shownDefault?: string;
}

/** With a default, written in its own grammar. */
function defaulted<T>(text: string, { isSecret = false, ...rest }: Description<T>): Variable<T> {
  return { shownDefault: `\`${text}\``, ...rest, isSecret, fallback: () => rest.grammar(text) };
}

/** Without a default. */
function optional<T>({ isSecret = false, ...rest }: Description<T>): Variable<T | undefined> {
  return { shownDefault: '–', ...rest, isSecret, fallback: () => undefined };
}

/** Comma-separated entries; none by default. */
function listed<T>({ grammar, ...rest }: Description<T>): Variable<readonly T[]> {
  return {
    ...optional<readonly T[]>({ ...rest, grammar: list(grammar) }),
    grammar: list(grammar),
    fallback: () => NONE,
  };
}

const rawVariable = <Of extends VariableRow>(variable: Of): Of & RawVariable => ({ ...variable, isRaw: true });

const NONE = Object.freeze([]);

const TIMEOUTS = 'connect=5s,first=120s,idle=300s,stall=60s,total=900s';
const COOLDOWN = 'base=5s,max=60s';
const FLOOD = 'account=50000/10s,auth=300/60s,wasted=300/60s';
const RETENTION = 'generations=400d,ledger_entries=400d,audit=never';

/** The shipped catalog, relative to the root of the package. */
export const SHIPPED_CATALOG = 'catalog/default.yaml';

/**
 * Every variable the process reads, except the credentials that the catalog names
 * (docs/operate/configuration.md#settings), by the name of its setting. The type `Environment`, the start-up check, the
 * warning about unknown names and the table of `docs/operate/configuration.md` are derived from this list.
 */
export const VARIABLES = {
  port: defaulted('8787', {
    name: 'PORT',
    grammar: wholeNumber(0, 65_535),
    meaning: 'Port to listen on; 0 takes any free one.',
  }),
  host: defaulted('127.0.0.1', {
    name: 'HOST',
    grammar: host,
    meaning: 'Address to listen on. The container sets `0.0.0.0`.',
  }),
  healthPort: optional({
    name: 'FAIRLEAD_HEALTH_PORT',
    grammar: wholeNumber(0, 65_535),
    meaning:
      'Separate port for health and metrics. `PORT` then does not serve them and opens only when the gateway is ready.',
  }),
  databaseUrl: optional({
    name: 'DATABASE_URL',
    grammar: secret(url('postgres', 'postgresql')),
    isSecret: true,
    shownDefault: '– (embedded database)',
    meaning: 'PostgreSQL to use: `postgres://user:password@host:port/database`.',
  }),
  databasePool: defaulted('10', {
    name: 'DB_POOL',
    grammar: wholeNumber(1, 1000),
    meaning: 'Database connections per process.',
  }),
  dataDir: defaulted('.fairlead', {
    name: 'DATA_DIR',
    grammar: path,
    meaning:
      'Folder of the embedded database, the generated encryption key, the spool and the notes. Must be writable.',
  }),
  redisUrl: optional({
    name: 'REDIS_URL',
    grammar: secret(url('redis', 'rediss')),
    isSecret: true,
    meaning: 'Redis or Valkey for counters, pins and health that replicas share.',
  }),
  workers: defaulted('1', {
    name: 'WORKERS',
    grammar: wholeNumber(1, 256),
    meaning: 'Processes that share the port. More than one needs `DATABASE_URL` and `REDIS_URL`.',
  }),
  catalog: rawVariable(
    optional({
      name: 'FAIRLEAD_CATALOG',
      grammar: path,
      shownDefault: `\`${SHIPPED_CATALOG}\``,
      meaning:
        'Catalog of models, providers and prices. Replaces the shipped file unless it contains `extends: default`. Changes are in force within 3 s.',
    }),
  ),
  encryptionKeys: listed({
    name: 'FAIRLEAD_ENCRYPTION_KEYS',
    grammar: encryptionKey,
    isSecret: true,
    shownDefault: '– (generated into `DATA_DIR` when embedded)',
    meaning:
      '`id:base64(32 bytes)[,older…]`: the first encrypts, all decrypt. Required with `DATABASE_URL`, unless a key service encrypts. Make one with `echo "k1:$(openssl rand -base64 32)"`.',
  }),
  keyService: rawVariable(
    optional({
      name: 'FAIRLEAD_KEY_SERVICE',
      grammar: list(keyService),
      shownDefault: '`local`',
      meaning:
        '`aws-kms:<key id or ARN>`, `vault-transit:<mount>/<key>` or `local` (the keys above), several separated by commas: the first encrypts, all decrypt.',
    }),
  ),
  awsRegion: rawVariable(
    optional({
      name: 'AWS_REGION',
      grammar: awsRegion,
      meaning: 'Region of the AWS KMS key, where its ARN does not name one.',
    }),
  ),
  awsAccessKeyId: rawVariable(
    optional({
      name: 'AWS_ACCESS_KEY_ID',
      grammar: headerSecret,
      isSecret: true,
      meaning: 'Access key id for AWS KMS; required with `aws-kms`.',
    }),
  ),
  awsSecretAccessKey: rawVariable(
    optional({
      name: 'AWS_SECRET_ACCESS_KEY',
      grammar: headerSecret,
      isSecret: true,
      meaning: 'Secret access key for AWS KMS; required with `aws-kms`.',
    }),
  ),
  awsSessionToken: rawVariable(
    optional({
      name: 'AWS_SESSION_TOKEN',
      grammar: headerSecret,
      isSecret: true,
      meaning:
        'Session token of temporary credentials for AWS KMS. The gateway does not renew them: restart it before they expire.',
    }),
  ),
  awsEndpointUrlKms: rawVariable(
    optional({
      name: 'AWS_ENDPOINT_URL_KMS',
      grammar: keyServiceOrigin,
      isSecret: true,
      shownDefault: "– (the region's)",
      meaning: 'Address of AWS KMS, for example of a VPC endpoint.',
    }),
  ),
  vaultAddress: rawVariable(
    optional({
      name: 'VAULT_ADDR',
      grammar: keyServiceAddress,
      isSecret: true,
      meaning: 'Address of HashiCorp Vault; required with `vault-transit`.',
    }),
  ),
  vaultToken: rawVariable(
    optional({
      name: 'VAULT_TOKEN',
      grammar: headerSecret,
      isSecret: true,
      meaning: 'Token for Vault; required with `vault-transit`.',
    }),
  ),
  vaultNamespace: rawVariable(
    optional({
      name: 'VAULT_NAMESPACE',
      grammar: vaultNamespace,
      meaning: 'Vault namespace, if there is one.',
    }),
  ),
  managementKey: optional({
    name: 'FAIRLEAD_MANAGEMENT_KEY',
    grammar: ownKey,
    isSecret: true,
    shownDefault: '– (generated and printed once when no key exists)',
    meaning:
      'A management key that the start creates if it is absent: any text of 16 characters or more. The log warns of a guessable one. After a rotation, name the latest secret: the start does not recreate a former one, nor a deleted key, and warns of it.',
  }),
  apiKey: optional({
    name: 'FAIRLEAD_API_KEY',
    grammar: ownKey,
    isSecret: true,
    shownDefault: '– (generated and printed once when no key exists)',
    meaning: 'An inference key, by the same rules.',
  }),
  initialCredits: defaulted('10', {
    name: 'FAIRLEAD_INITIAL_CREDITS',
    grammar: usd,
    meaning: 'USD granted to the account when it is created; a grant, not a purchase.',
  }),
  byokFeePercent: defaulted('0', {
    name: 'FAIRLEAD_BYOK_FEE_PERCENT',
    grammar: percent,
    meaning: "Fee on calls with the caller's own provider key, in percent of the list price, 0 to 100.",
  }),
  egressAllow: listed({
    name: 'FAIRLEAD_EGRESS_ALLOW',
    grammar: egressTarget,
    meaning: 'Comma-separated `host:port` or CIDR entries that URLs of callers may reach besides public addresses.',
  }),
  httpProxy: optional({
    name: 'HTTP_PROXY',
    grammar: secret(forwardProxy),
    isSecret: true,
    meaning:
      'Proxy for calls of providers and engines at `http://` addresses: `http://user:password@host:port`. Never for URLs that callers name, nor for this machine.',
  }),
  httpsProxy: optional({
    name: 'HTTPS_PROXY',
    grammar: secret(forwardProxy),
    isSecret: true,
    meaning: 'The same for `https://` addresses, through a tunnel: the proxy sees no content.',
  }),
  noProxy: listed({
    name: 'NO_PROXY',
    grammar: text,
    meaning:
      'Comma-separated hosts that are called without a proxy, each with its subdomains: names, addresses, CIDRs, `host:port`, `*`.',
  }),
  timeouts: defaulted(TIMEOUTS, {
    name: 'FAIRLEAD_TIMEOUTS',
    grammar: as(
      partialList(['connect', 'first', 'idle', 'stall', 'total'], duration(), TIMEOUTS),
      ({ connect, first, idle, stall, total }) => ({
        connectMs: connect,
        firstMs: first,
        idleMs: idle,
        stallMs: stall,
        totalMs: total,
      }),
    ),
    meaning: '[Time-outs of calls](#time-outs). A partial list changes only the entries that it names.',
  }),
  cooldown: defaulted(COOLDOWN, {
    name: 'FAIRLEAD_COOLDOWN',
    grammar: as(partialList(['base', 'max'], duration(), COOLDOWN), ({ base, max }) => ({ baseMs: base, maxMs: max })),
    meaning:
      'First and longest cool-down of an endpoint that fails. A `Retry-After` of the provider replaces it, up to an hour.',
  }),
  flood: defaulted(FLOOD, {
    name: 'FAIRLEAD_FLOOD',
    grammar: partialList(['account', 'auth', 'wasted'], rate, FLOOD),
    meaning:
      'Requests per account, failed authentications per address, and abandoned or failed calls per key, each within a window; 429 above it ([details](#flood-limits)). A partial list changes only the entries that it names.',
  }),
  corsOrigins: listed({
    name: 'FAIRLEAD_CORS_ORIGINS',
    grammar: origin,
    meaning:
      'Comma-separated origins whose pages may call the gateway from a browser, such as `https://app.example.com`.',
  }),
  trustProxy: listed({
    name: 'FAIRLEAD_TRUST_PROXY',
    grammar: proxyNetwork,
    meaning: 'Comma-separated CIDRs of the proxies whose `X-Forwarded-For` is trusted.',
  }),
  bodyBytesMax: defaulted('32MiB', {
    name: 'FAIRLEAD_BODY_MAX',
    grammar: bytes(BODY_BYTES_CEILING),
    meaning:
      'Largest request body; a larger one gets 413. `FAIRLEAD_BODIES_IN_FLIGHT` must be at least twice as large.',
  }),
  bodiesInFlightBytesMax: defaulted('512MiB', {
    name: 'FAIRLEAD_BODIES_IN_FLIGHT',
    grammar: bytes(Number.MAX_SAFE_INTEGER),
    meaning:
      'Bytes of bodies, fetched media and pages that the open requests of a process may hold together. A key may hold as much as it leaves free; above that, 503. Bodies below 64 KiB and management requests are exempt.',
  }),
  heartbeatMs: defaulted('15s', {
    name: 'FAIRLEAD_HEARTBEAT',
    grammar: duration(),
    meaning: 'A stream that is silent for this long gets a comment line.',
  }),
  drainMs: defaulted('120s', {
    name: 'FAIRLEAD_DRAIN',
    grammar: duration(0),
    meaning: 'How long a stopping process waits for open requests.',
  }),
  retentionDays: defaulted(RETENTION, {
    name: 'FAIRLEAD_RETENTION',
    grammar: as(
      partialList(['generations', 'ledger_entries', 'audit'], days, RETENTION),
      ({ generations, ledger_entries: ledgerEntries, audit }) => ({ generations, ledgerEntries, audit }),
    ),
    meaning:
      'How long records are kept: in days, or `never` for no deletion. Whole months are deleted. A partial list changes only the entries that it names.',
  }),
  ledgerDurability: defaulted('strict', {
    name: 'LEDGER_DURABILITY',
    grammar: oneOf('strict', 'relaxed'),
    meaning:
      '`strict`: the last byte of a reply waits until its charge is committed or is in the spool. `relaxed`: it does not wait.',
  }),
  otelEndpoint: optional({
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    grammar: url('http', 'https'),
    isSecret: true,
    meaning: 'OTLP/HTTP collector for a span per request and per attempt. Spans contain no content.',
  }),
  metricsModels: defaulted('off', {
    name: 'FAIRLEAD_METRICS_MODELS',
    grammar: oneOf('off', 'on'),
    meaning:
      '`on`: counters of attempts, tokens, fallbacks and spend also have a label `model`, with at most 200 values.',
  }),
  console: defaulted('on', {
    name: 'FAIRLEAD_CONSOLE',
    grammar: oneOf('off', 'on'),
    meaning: '`off`: there is no [console](console.md), and no session is taken.',
  }),
  publicCatalog: defaulted('off', {
    name: 'FAIRLEAD_PUBLIC_CATALOG',
    grammar: oneOf('off', 'on'),
    meaning:
      '`on`: `/models…`, `/providers` and `/endpoints/zdr` answer without a key, except `/models/user`. `auth` of `FAIRLEAD_FLOOD` limits such requests per address.',
  }),
  logLevel: defaulted('info', {
    name: 'LOG_LEVEL',
    grammar: oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
    meaning: 'Lowest level that is logged. No level logs bodies or keys.',
  }),
} as const;

/** All of them, for the documentation and to recognise unknown names. */
export const VARIABLE_ROWS: readonly VariableRow[] = Object.values(VARIABLES);

type Variables = typeof VARIABLES;
type ValueOf<Of> = Of extends { readonly grammar: Grammar<infer T> } ? T : never;
type SettingName = {
  [Name in keyof Variables]: Variables[Name] extends RawVariable ? never : Name;
}[keyof Variables];
/** Variables without a default: absent from the settings where they are not set. */
type OptionalName = {
  [Name in SettingName]: undefined extends ReturnType<Variables[Name]['fallback']> ? Name : never;
}[SettingName];

/** The settings with one variable each, by the definitions above. */
export type Settings = {
  readonly [Name in Exclude<SettingName, OptionalName>]: ValueOf<Variables[Name]>;
} & {
  readonly [Name in OptionalName]?: ValueOf<Variables[Name]> & {};
};
