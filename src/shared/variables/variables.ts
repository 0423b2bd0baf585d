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
import { groupName, issuerAddress, workspaceGroup } from './sign-on-grammars.js';

/** One variable of the process, as shown in the documentation. */
export interface VariableRow {
  readonly name: string;
  /** The default in the syntax of the variable, or a description between parentheses; `–` for none. */
  readonly shownDefault: string;
  /** One line of Markdown. */
  readonly meaning: string;
  /** The value is never printed, even if it is invalid. */
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

/** A variable with a default, written in its own grammar. */
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
    meaning: 'PostgreSQL to use: `postgres://user:password@host:port/database`; with TLS add `?sslmode=verify-full`.',
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
    meaning:
      'Redis or Valkey for counters, pins, health and cached replies that replicas share: `redis://…`, with TLS `rediss://…`.',
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
        'Catalog of models, providers and prices. Replaces the shipped file unless it contains `extends: default`. Changes are active within 3 s.',
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
        'Comma-separated entries `aws-kms:<key id or ARN>`, `vault-transit:<mount>/<key>` or `local` (`FAIRLEAD_ENCRYPTION_KEYS`): the first encrypts, all decrypt.',
    }),
  ),
  awsRegion: rawVariable(
    optional({
      name: 'AWS_REGION',
      grammar: awsRegion,
      meaning: 'Region of the AWS KMS key, if the ARN does not name one.',
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
        'Session token of temporary credentials for AWS KMS. The gateway does not renew them: replace them and restart before they expire.',
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
    shownDefault: '– (generated and printed once if the store never had one)',
    meaning:
      'A management key of 16 characters or more. The start creates the key if it does not exist, and warns of a guessable text. After a rotation set the variable to the new secret: a start never recreates a former secret or a deleted key, and logs a warning.',
  }),
  apiKey: optional({
    name: 'FAIRLEAD_API_KEY',
    grammar: ownKey,
    isSecret: true,
    shownDefault: '– (generated and printed once if the store never had one)',
    meaning: 'An inference key. The rules of `FAIRLEAD_MANAGEMENT_KEY` apply.',
  }),
  initialCredits: defaulted('10', {
    name: 'FAIRLEAD_INITIAL_CREDITS',
    grammar: usd,
    meaning: 'USD that a new account is granted; not a purchase.',
  }),
  byokFeePercent: defaulted('0', {
    name: 'FAIRLEAD_BYOK_FEE_PERCENT',
    grammar: percent,
    meaning: "Fee on calls with the caller's own provider key, in percent of the list price, 0 to 100.",
  }),
  egressAllow: listed({
    name: 'FAIRLEAD_EGRESS_ALLOW',
    grammar: egressTarget,
    meaning:
      'Comma-separated `host:port` or CIDR entries. The gateway may call these private addresses if they are in URLs of requests (images, documents, web pages), in [destinations](alarms.md#destinations) or in stored credentials.',
  }),
  httpProxy: optional({
    name: 'HTTP_PROXY',
    grammar: secret(forwardProxy),
    isSecret: true,
    meaning:
      'Proxy for calls to providers and engines at `http://` addresses: `http://user:password@host:port`. Not used for URLs in requests and loopback addresses.',
  }),
  httpsProxy: optional({
    name: 'HTTPS_PROXY',
    grammar: secret(forwardProxy),
    isSecret: true,
    meaning: 'Proxy for calls to `https://` addresses, through a tunnel: the proxy sees no content.',
  }),
  noProxy: listed({
    name: 'NO_PROXY',
    grammar: text,
    meaning:
      'Comma-separated hosts that are called without a proxy: names (with all subdomains), addresses, CIDRs, `host:port`, `*`.',
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
      'First and longest cool-down of an endpoint that fails. A `Retry-After` of the provider replaces the cool-down, up to an hour.',
  }),
  flood: defaulted(FLOOD, {
    name: 'FAIRLEAD_FLOOD',
    grammar: partialList(['account', 'auth', 'wasted'], rate, FLOOD),
    meaning:
      'Limits in a time window; requests above a limit get 429 ([entries](#flood-limits)). A partial list changes only the entries that it names.',
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
    meaning: 'Comma-separated CIDRs of the proxies whose `X-Forwarded-For` the gateway trusts.',
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
      'Memory that a process may use for request bodies, fetched media and pages of open requests. One key may use at most half of what other keys leave free; a request beyond that gets 503. Bodies below 64 KiB and management requests are exempt.',
  }),
  heartbeatMs: defaulted('15s', {
    name: 'FAIRLEAD_HEARTBEAT',
    grammar: duration(),
    meaning: 'The gateway sends a comment line into a stream that is silent for this long.',
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
      'How long records are kept, in days; `never`: without end. The gateway deletes whole months. A partial list changes only the entries that it names.',
  }),
  ledgerDurability: defaulted('strict', {
    name: 'LEDGER_DURABILITY',
    grammar: oneOf('strict', 'relaxed'),
    meaning:
      '`strict`: the last byte of a reply waits until the charge is committed or in the spool. `relaxed`: the last byte does not wait.',
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
    meaning: '`off`: there is no [console](console.md), and sessions are rejected.',
  }),
  oidcIssuer: optional({
    name: 'FAIRLEAD_OIDC_ISSUER',
    grammar: issuerAddress,
    meaning: 'Issuer whose users may [sign in to the console](sign-in.md), exactly as in the discovery document.',
  }),
  oidcClientId: optional({
    name: 'FAIRLEAD_OIDC_CLIENT_ID',
    grammar: text,
    meaning: 'Client id of the gateway at the issuer; required with `FAIRLEAD_OIDC_ISSUER`.',
  }),
  oidcClientSecret: optional({
    name: 'FAIRLEAD_OIDC_CLIENT_SECRET',
    grammar: headerSecret,
    isSecret: true,
    meaning:
      'Client secret of the gateway at the issuer. Without a secret the gateway is a public client, which PKCE protects.',
  }),
  oidcAdminGroups: listed({
    name: 'FAIRLEAD_OIDC_ADMIN_GROUPS',
    grammar: groupName,
    meaning: 'Comma-separated groups whose members administer the account.',
  }),
  oidcWorkspaceGroups: listed({
    name: 'FAIRLEAD_OIDC_WORKSPACE_GROUPS',
    grammar: workspaceGroup,
    meaning:
      'Comma-separated `group=workspace` pairs (id or slug of the workspace): members administer only this workspace. For a member of several groups the first pair in the list applies.',
  }),
  publicCatalog: defaulted('off', {
    name: 'FAIRLEAD_PUBLIC_CATALOG',
    grammar: oneOf('off', 'on'),
    meaning:
      '`on`: `/models…`, `/providers` and `/endpoints/zdr` answer without a key, except `/models/user`. `auth` of `FAIRLEAD_FLOOD` limits requests without a key per address.',
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
