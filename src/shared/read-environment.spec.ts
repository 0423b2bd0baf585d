// Every variable of docs/operate/configuration.md#settings has exactly its default and grammar, all faults are reported
// at once, and no secret is. Tables of texts that are read and refused, at each limit and one past it; canaries in
// every secret variable.
import { resolve } from 'node:path';
import { InvalidEnvironment, type Environment } from './environment.js';
import { readEnvironment } from './read-environment.js';
import { VARIABLE_ROWS } from './variables/variables.js';

const KEY = Buffer.alloc(32, 7).toString('base64');
const KMS_ID = '1234abcd-12ab-34cd-56ef-1234567890ab';
const KMS_ARN = `arn:aws:kms:eu-central-1:111122223333:key/${KMS_ID}`;
const read = (variables: NodeJS.ProcessEnv): Environment => readEnvironment(variables, '/srv').environment;

function faultsOf(variables: NodeJS.ProcessEnv): InvalidEnvironment {
  try {
    read(variables);
  } catch (error) {
    if (error instanceof InvalidEnvironment) return error;
    throw error;
  }
  throw new Error('was accepted');
}

describe('readEnvironment', () => {
  it('returns the documented defaults when nothing is set', () => {
    expect(readEnvironment({}, '/srv', '/opt/fairlead')).toEqual({
      warnings: [],
      environment: {
        port: 8787,
        console: 'on',
        host: '127.0.0.1',
        databasePool: 10,
        dataDir: '/srv/.fairlead',
        workers: 1,
        catalogPath: '/opt/fairlead/catalog/default.yaml',
        encryptionKeys: [],
        keyServices: [],
        initialCredits: 10_000_000_000_000n,
        byokFeePercent: '0',
        egressAllow: [],
        timeouts: { connectMs: 5000, firstMs: 120_000, idleMs: 300_000, stallMs: 60_000, totalMs: 900_000 },
        cooldown: { baseMs: 5000, maxMs: 60_000 },
        flood: {
          account: { limit: 50_000, windowMs: 10_000 },
          auth: { limit: 300, windowMs: 60_000 },
          wasted: { limit: 300, windowMs: 60_000 },
        },
        corsOrigins: [],
        oidcAdminGroups: [],
        oidcWorkspaceGroups: [],
        noProxy: [],
        trustProxy: [],
        bodyBytesMax: 32 * 2 ** 20,
        bodiesInFlightBytesMax: 512 * 2 ** 20,
        heartbeatMs: 15_000,
        drainMs: 120_000,
        retentionDays: { generations: 400, ledgerEntries: 400, audit: null },
        ledgerDurability: 'strict',
        logLevel: 'info',
        metricsModels: 'off',
        publicCatalog: 'off',
      },
    });
  });

  it('is frozen, lists and groups included', () => {
    const environment = read({ FAIRLEAD_TRUST_PROXY: '10.0.0.0/8' });
    const parts = [environment, environment.timeouts, environment.cooldown, environment.flood, environment.flood.auth];
    const more = [
      environment.trustProxy,
      environment.egressAllow,
      environment.encryptionKeys,
      environment.retentionDays,
    ];
    for (const part of [...parts, ...more]) expect(Object.isFrozen(part)).toBe(true);
  });

  it('treats an empty text as "not set" and ignores spaces around a value', () => {
    expect(read({ PORT: '', FAIRLEAD_API_KEY: '  ', LOG_LEVEL: ' debug\n' })).toMatchObject({
      port: 8787,
      logLevel: 'debug',
    });
    expect(read({ FAIRLEAD_API_KEY: '' }).apiKey).toBeUndefined();
  });

  it.each<[string, string, Partial<Environment>]>([
    ['PORT', '0', { port: 0 }],
    ['PORT', '65535', { port: 65_535 }],
    ['HOST', '0.0.0.0', { host: '0.0.0.0' }],
    ['HOST', '::', { host: '::' }],
    ['HOST', 'gateway-1.internal', { host: 'gateway-1.internal' }],
    ['DB_POOL', '1', { databasePool: 1 }],
    ['DATA_DIR', '/data', { dataDir: '/data' }],
    ['DATA_DIR', 'here', { dataDir: resolve('/srv', 'here') }],
    ['FAIRLEAD_CATALOG', 'my.yaml', { catalogPath: '/srv/my.yaml' }],
    ['FAIRLEAD_INITIAL_CREDITS', '0', { initialCredits: 0n }],
    ['FAIRLEAD_INITIAL_CREDITS', '0.000000000001', { initialCredits: 1n }],
    ['FAIRLEAD_BYOK_FEE_PERCENT', '100', { byokFeePercent: '100' }],
    ['FAIRLEAD_BYOK_FEE_PERCENT', '5.50', { byokFeePercent: '5.5' }],
    ['FAIRLEAD_HEARTBEAT', '500ms', { heartbeatMs: 500 }],
    ['FAIRLEAD_HEARTBEAT', '2m', { heartbeatMs: 120_000 }],
    ['FAIRLEAD_DRAIN', '0s', { drainMs: 0 }],
    ['FAIRLEAD_DRAIN', '1h', { drainMs: 3_600_000 }],
    ['FAIRLEAD_DRAIN', '2147483647ms', { drainMs: 2_147_483_647 }],
    ['FAIRLEAD_BODY_MAX', '1', { bodyBytesMax: 1 }],
    ['FAIRLEAD_BODY_MAX', '512KiB', { bodyBytesMax: 524_288 }],
    ['FAIRLEAD_BODIES_IN_FLIGHT', '1GiB', { bodiesInFlightBytesMax: 2 ** 30 }],
    ['LEDGER_DURABILITY', 'relaxed', { ledgerDurability: 'relaxed' }],
    ['LOG_LEVEL', 'silent', { logLevel: 'silent' }],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://collector:4318', { otelEndpoint: 'http://collector:4318' }],
    ['FAIRLEAD_CORS_ORIGINS', 'https://a.test, http://b:1', { corsOrigins: ['https://a.test', 'http://b:1'] }],
    ['FAIRLEAD_TRUST_PROXY', '10.0.0.0/8, fd00::/8', { trustProxy: ['10.0.0.0/8', 'fd00::/8'] }],
    [
      'FAIRLEAD_EGRESS_ALLOW',
      'Files.internal:8080,10.1.0.0/16,[fd00::1]:443,127.0.0.1:65535',
      { egressAllow: ['files.internal:8080', '10.1.0.0/16', '[fd00::1]:443', '127.0.0.1:65535'] },
    ],
    [
      'FAIRLEAD_TIMEOUTS',
      'connect=1s, first=250ms',
      { timeouts: { connectMs: 1000, firstMs: 250, idleMs: 300_000, stallMs: 60_000, totalMs: 900_000 } },
    ],
    ['FAIRLEAD_COOLDOWN', 'max=1s', { cooldown: { baseMs: 5000, maxMs: 1000 } }],
    [
      'FAIRLEAD_FLOOD',
      'auth=1/1s',
      {
        flood: {
          account: { limit: 50_000, windowMs: 10_000 },
          auth: { limit: 1, windowMs: 1000 },
          wasted: { limit: 300, windowMs: 60_000 },
        },
      },
    ],
    [
      'FAIRLEAD_RETENTION',
      'generations=never,audit=1d',
      { retentionDays: { generations: null, ledgerEntries: 400, audit: 1 } },
    ],
  ])('reads %s=%s', (name, text, expected) => {
    expect(read({ [name]: text })).toMatchObject(expected);
  });

  it('reads secrets without showing them', () => {
    const environment = read({
      DATABASE_URL: 'postgres://u:p@db/fairlead',
      REDIS_URL: 'rediss://:p@cache',
      WORKERS: '2',
      FAIRLEAD_ENCRYPTION_KEYS: `new:${KEY}, old:${KEY.replace('=', '')}`,
      FAIRLEAD_MANAGEMENT_KEY: 'sixteen letters!',
      FAIRLEAD_API_KEY: 'sixteen letters?',
    });
    expect(environment.databaseUrl?.reveal()).toBe('postgres://u:p@db/fairlead');
    expect(environment.redisUrl?.reveal()).toBe('rediss://:p@cache');
    expect(environment.encryptionKeys.map(({ id, key }) => [id, key.reveal()])).toEqual([
      ['new', KEY],
      ['old', KEY],
    ]);
    expect(environment.managementKey?.reveal()).toBe('sixteen letters!');
    expect(environment.apiKey?.reveal()).toBe('sixteen letters?');
    expect(environment.workers).toBe(2);
  });

  it.each<[string, string, string]>([
    ['PORT', '-1', 'a whole number from 0 to 65535'],
    ['PORT', '65536', 'a whole number from 0 to 65535'],
    ['PORT', '80.5', 'a whole number'],
    ['PORT', '0x50', 'a whole number'],
    ['PORT', 'eighty', 'it is "eighty"'],
    ['HOST', 'http://x', 'a host name or an IP address'],
    ['DB_POOL', '0', 'from 1 to'],
    ['WORKERS', '0', 'from 1 to'],
    ['DATABASE_URL', 'mysql://db/x', 'begins with postgres:// or postgresql://'],
    ['DATABASE_URL', 'db', 'begins with postgres://'],
    ['REDIS_URL', 'http://cache', 'begins with redis:// or rediss://'],
    ['FAIRLEAD_ENCRYPTION_KEYS', KEY, 'entry 1 must be an id'],
    ['FAIRLEAD_ENCRYPTION_KEYS', `a:${KEY},b:${Buffer.alloc(31).toString('base64')}`, 'entry 2 must be an id'],
    ['FAIRLEAD_ENCRYPTION_KEYS', `a:${Buffer.alloc(33).toString('base64')}`, 'entry 1 must be an id'],
    ['FAIRLEAD_ENCRYPTION_KEYS', `a:${KEY},a:${KEY}`, 'gives the id a to two keys'],
    ['FAIRLEAD_ENCRYPTION_KEYS', `a:${KEY},`, 'entry 2'],
    ['FAIRLEAD_MANAGEMENT_KEY', 'fifteen letters', '16 characters'],
    ['FAIRLEAD_API_KEY', 'fifteen letters', '16 characters'],
    ['FAIRLEAD_API_KEY', 'sixteen letters\nand a line', 'no line break'],
    ['FAIRLEAD_INITIAL_CREDITS', '-1', 'an amount of USD'],
    ['FAIRLEAD_INITIAL_CREDITS', '1e3', 'an amount of USD'],
    ['FAIRLEAD_INITIAL_CREDITS', '0.0000000000001', 'an amount of USD'],
    ['FAIRLEAD_BYOK_FEE_PERCENT', '100.000000000001', 'from 0 to 100'],
    ['FAIRLEAD_BYOK_FEE_PERCENT', '-0.1', 'from 0 to 100'],
    ['FAIRLEAD_BYOK_FEE_PERCENT', '5%', 'from 0 to 100'],
    ['FAIRLEAD_EGRESS_ALLOW', 'files.internal', 'entry 1 must be host:port or a CIDR'],
    ['FAIRLEAD_EGRESS_ALLOW', 'a:80,b:65536', 'entry 2 must be host:port'],
    ['FAIRLEAD_EGRESS_ALLOW', 'a:0', 'must be host:port'],
    ['FAIRLEAD_EGRESS_ALLOW', '10.0.0.0/33', 'must be a CIDR'],
    ['FAIRLEAD_EGRESS_ALLOW', 'fd00::1:443', 'must be host:port'],
    ['FAIRLEAD_CORS_ORIGINS', '*', 'must be an origin such as https://app.example.com'],
    ['FAIRLEAD_CORS_ORIGINS', 'https://a.test/', 'must be an origin'],
    ['FAIRLEAD_CORS_ORIGINS', 'https://a.test, null', 'must be an origin'],
    ['FAIRLEAD_CORS_ORIGINS', 'file://a', 'must be an origin'],
    ['FAIRLEAD_CORS_ORIGINS', 'https://*.a.test', 'no more and no wildcard'],
    ['FAIRLEAD_TRUST_PROXY', '10.0.0.1', 'one address is a /32'],
    ['HTTPS_PROXY', 'http://user:pa%ss@proxy:3128', 'must have a % in its user or password as %25'],
    ['HTTP_PROXY', 'http://us%er:x@proxy:3128', 'must have a % in its user or password as %25'],
    ['FAIRLEAD_TRUST_PROXY', '0.0.0.0/0', 'must not be a /0'],
    ['FAIRLEAD_TRUST_PROXY', '0x0a.0.0.0/8', 'must be a CIDR'],
    ['FAIRLEAD_TIMEOUTS', 'frist=5s', 'the names are connect, first, idle, stall, total'],
    ['FAIRLEAD_TIMEOUTS', 'first', 'name=value pairs'],
    ['FAIRLEAD_TIMEOUTS', 'first=5', 'first must be a duration'],
    ['FAIRLEAD_TIMEOUTS', 'first=0s', 'first must be a duration'],
    ['FAIRLEAD_TIMEOUTS', 'first=1s,first=2s', 'names first twice'],
    ['FAIRLEAD_COOLDOWN', 'base=1d', 'base must be a duration'],
    ['FAIRLEAD_FLOOD', 'account=0/10s', 'account must be a whole number from 1, a slash'],
    ['FAIRLEAD_FLOOD', 'wasted=-1/60s', 'wasted must be a whole number from 1, a slash'],
    ['FAIRLEAD_FLOOD', 'waste=300/60s', 'the names are account, auth, wasted'],
    ['FAIRLEAD_FLOOD', 'auth=300', 'auth must be a whole number from 1, a slash'],
    ['FAIRLEAD_BODY_MAX', '32MB', 'must be a size'],
    ['FAIRLEAD_BODY_MAX', '0', 'must be a size'],
    ['FAIRLEAD_BODY_MAX', '1GiB', 'must be a size'],
    ['FAIRLEAD_HEARTBEAT', '0s', 'must be a duration'],
    ['FAIRLEAD_HEARTBEAT', '15', 'must be a duration'],
    ['FAIRLEAD_DRAIN', '2147483648ms', 'at most 24 days'],
    ['FAIRLEAD_RETENTION', 'generations=0d', 'generations must be a number of days'],
    ['FAIRLEAD_RETENTION', 'ledgerEntries=1d', 'the names are generations, ledger_entries, audit'],
    ['LEDGER_DURABILITY', 'lax', 'one of strict, relaxed'],
    ['LOG_LEVEL', 'verbose', 'one of trace, debug, info, warn, error, fatal, silent'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318', 'begins with http:// or https://'],
  ])('refuses %s=%s', (name, text, expected) => {
    const { faults } = faultsOf({ [name]: text });
    expect(
      faults
        .filter((fault) => fault.variable === name)
        .map((fault) => fault.reason)
        .join(),
    ).toContain(expected);
  });

  it('needs encryption keys with a database, and a database and Redis for several workers', () => {
    expect(faultsOf({ DATABASE_URL: 'postgres://db/x' }).faults).toEqual([
      { variable: 'FAIRLEAD_ENCRYPTION_KEYS', reason: 'is required with DATABASE_URL: replicas must share their keys' },
    ]);
    expect(faultsOf({ WORKERS: '2' }).faults).toEqual([
      { variable: 'WORKERS', reason: 'above 1 needs DATABASE_URL' },
      { variable: 'WORKERS', reason: 'above 1 needs REDIS_URL' },
    ]);
  });

  describe('of key services', () => {
    const AWS = { AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE', AWS_SECRET_ACCESS_KEY: 'canary/secret+' };
    const VAULT = { VAULT_ADDR: 'https://vault.internal:8200/', VAULT_TOKEN: 'hvs.canary' };
    const database = { DATABASE_URL: 'postgres://db/x' };

    it('reads each with its settings, in order, and no settings of others', () => {
      const { keyServices } = read({
        ...AWS,
        ...VAULT,
        ...database,
        FAIRLEAD_ENCRYPTION_KEYS: `k:${KEY}`,
        FAIRLEAD_KEY_SERVICE: `local, aws-kms:${KMS_ARN}, vault-transit:secrets/transit/fairlead`,
        VAULT_NAMESPACE: 'team/a',
        AWS_SESSION_TOKEN: 'canary-session',
      });
      expect(keyServices).toMatchObject([
        { kind: 'local' },
        {
          kind: 'aws-kms',
          keyId: KMS_ARN,
          region: 'eu-central-1',
          endpoint: 'https://kms.eu-central-1.amazonaws.com',
        },
        {
          kind: 'vault-transit',
          mount: 'secrets/transit',
          key: 'fairlead',
          address: 'https://vault.internal:8200',
          namespace: 'team/a',
        },
      ]);
      expect(JSON.stringify(keyServices)).not.toContain('canary');
      expect(read({ VAULT_ADDR: 'wrong', AWS_REGION: 'wrong', VAULT_TOKEN: 'two words' }).keyServices).toEqual([]);
    });

    it('takes the region of an id from AWS_REGION, and the endpoint from its variable or the region', () => {
      const endpointOf = (variables: NodeJS.ProcessEnv): unknown =>
        read({ ...AWS, FAIRLEAD_KEY_SERVICE: `aws-kms:${KMS_ID}`, ...variables }).keyServices[0];
      expect(endpointOf({ AWS_REGION: 'cn-north-1' })).toMatchObject({
        region: 'cn-north-1',
        endpoint: 'https://kms.cn-north-1.amazonaws.com.cn',
      });
      expect(endpointOf({ AWS_REGION: 'us-gov-west-1', AWS_ENDPOINT_URL_KMS: 'http://127.0.0.1:4566/' })).toMatchObject(
        { region: 'us-gov-west-1', endpoint: 'http://127.0.0.1:4566' },
      );
    });

    it('names everything that is missing', () => {
      const named = (FAIRLEAD_KEY_SERVICE: string): string[] =>
        faultsOf({ FAIRLEAD_KEY_SERVICE }).faults.map(({ variable }) => variable);
      expect(named(`aws-kms:${KMS_ID}`)).toEqual(['AWS_REGION', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']);
      expect(named(`aws-kms:${KMS_ARN}`)).toEqual(['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']);
      expect(named('vault-transit:transit/fairlead')).toEqual(['VAULT_ADDR', 'VAULT_TOKEN']);
    });

    it('needs no encryption keys with a database where a service encrypts, unless local is named too', () => {
      const service = `aws-kms:${KMS_ARN}`;
      expect(read({ ...AWS, ...database, FAIRLEAD_KEY_SERVICE: service }).encryptionKeys).toEqual([]);
      expect(faultsOf({ ...AWS, ...database, FAIRLEAD_KEY_SERVICE: `${service},local` }).faults).toEqual([
        { variable: 'FAIRLEAD_ENCRYPTION_KEYS', reason: 'is required where FAIRLEAD_KEY_SERVICE names local' },
      ]);
      expect(faultsOf({ ...database, FAIRLEAD_KEY_SERVICE: 'kms' }).faults.map(({ variable }) => variable)).toEqual([
        'FAIRLEAD_KEY_SERVICE',
      ]);
    });

    it.each<[string, string, string]>([
      ['FAIRLEAD_KEY_SERVICE', 'gcp-kms:x', 'entry 1 must be local, aws-kms:'],
      ['FAIRLEAD_KEY_SERVICE', 'local,', 'entry 2 must be local, aws-kms:'],
      ['FAIRLEAD_KEY_SERVICE', 'local,local', 'names a key twice'],
      ['FAIRLEAD_KEY_SERVICE', 'aws-kms:alias/fairlead', 'not an alias'],
      ['FAIRLEAD_KEY_SERVICE', `aws-kms:${KMS_ARN.replace('key/', 'alias/')}`, 'not an alias'],
      ['FAIRLEAD_KEY_SERVICE', `aws-kms:${KMS_ARN}@evil.example`, 'the id or the ARN'],
      ['FAIRLEAD_KEY_SERVICE', 'vault-transit:fairlead', '<mount>/<key>'],
      ['FAIRLEAD_KEY_SERVICE', 'vault-transit:transit/../sys', '<mount>/<key>'],
      ['FAIRLEAD_KEY_SERVICE', 'vault-transit:transit/key?x', '<mount>/<key>'],
      ['AWS_REGION', 'Frankfurt', 'a region such as'],
      ['AWS_REGION', 'eu-central-1.evil.example/', 'a region such as'],
      ['AWS_ENDPOINT_URL_KMS', 'http://kms.internal', 'begins with https://'],
      ['AWS_ENDPOINT_URL_KMS', 'http://127.0.0.1.evil.example', 'begins with https://'],
      ['AWS_ENDPOINT_URL_KMS', 'https://kms.internal/path', 'without a path'],
      ['AWS_SECRET_ACCESS_KEY', 'two words', 'visible ASCII'],
      ['VAULT_ADDR', 'http://vault:8200', 'begins with https://'],
      ['VAULT_ADDR', 'https://user:canary@vault', 'without user'],
      ['VAULT_ADDR', 'https://vault/?', 'query'],
      ['VAULT_TOKEN', 'a\tb', 'visible ASCII'],
      ['VAULT_NAMESPACE', 'a b', 'visible ASCII'],
    ])('refuses %s=%s', (name, text, expected) => {
      const both = `aws-kms:${KMS_ID},vault-transit:transit/fairlead`;
      const { faults } = faultsOf({ ...AWS, ...VAULT, AWS_REGION: 'x-y-1', FAIRLEAD_KEY_SERVICE: both, [name]: text });
      expect(faults.filter((fault) => fault.variable === name).map(({ reason }) => reason)).toEqual([
        expect.stringContaining(expected),
      ]);
    });
  });

  describe('of the issuer of the console', () => {
    const ISSUER = { FAIRLEAD_OIDC_ISSUER: 'https://id.example.com/realms/one/', FAIRLEAD_OIDC_CLIENT_ID: 'c' };

    it('reads all, the issuer to the letter', () => {
      const environment = read({
        ...ISSUER,
        FAIRLEAD_OIDC_CLIENT_SECRET: 'a-client-secret',
        FAIRLEAD_OIDC_ADMIN_GROUPS: 'admins, the owners',
        FAIRLEAD_OIDC_WORKSPACE_GROUPS: 'team=a,cn=b=8c5a63f6-5a0f-4a80-9f1c-3a8d3f0c7b11',
      });
      expect(environment).toMatchObject({
        oidcIssuer: ISSUER.FAIRLEAD_OIDC_ISSUER,
        oidcClientId: 'c',
        oidcAdminGroups: ['admins', 'the owners'],
        oidcWorkspaceGroups: [
          { group: 'team', workspace: 'a' },
          { group: 'cn=b', workspace: '8c5a63f6-5a0f-4a80-9f1c-3a8d3f0c7b11' },
        ],
      });
      expect(environment.oidcClientSecret!.reveal()).toBe('a-client-secret');
    });

    it.each<[string, NodeJS.ProcessEnv, string]>([
      ['an issuer without a client', { FAIRLEAD_OIDC_ISSUER: 'https://a.b', FAIRLEAD_OIDC_ADMIN_GROUPS: 'g' }, 'FAIRLEAD_OIDC_CLIENT_ID is required with'],
      ['an issuer without a group', ISSUER, 'FAIRLEAD_OIDC_ADMIN_GROUPS or FAIRLEAD_OIDC_WORKSPACE_GROUPS is required with'],
      ['groups without an issuer', { FAIRLEAD_OIDC_ADMIN_GROUPS: 'g' }, 'FAIRLEAD_OIDC_ADMIN_GROUPS needs FAIRLEAD_OIDC_ISSUER'],
      ['a secret without an issuer', { FAIRLEAD_OIDC_CLIENT_SECRET: 'a-client-secret' }, 'FAIRLEAD_OIDC_CLIENT_SECRET needs'],
      ['one group twice', { ...ISSUER, FAIRLEAD_OIDC_ADMIN_GROUPS: 'g', FAIRLEAD_OIDC_WORKSPACE_GROUPS: 'g=a' }, 'gives two roles to the group "g"'],
      ['a group without a workspace', { ...ISSUER, FAIRLEAD_OIDC_WORKSPACE_GROUPS: 'g' }, 'must be group=workspace'],
      ['a group without a name', { ...ISSUER, FAIRLEAD_OIDC_WORKSPACE_GROUPS: '=a' }, 'must be group=workspace'],
      ['an address without TLS', { ...ISSUER, FAIRLEAD_OIDC_ISSUER: 'http://id.example.com' }, 'must be a URL that begins with https://'],
      ['an address with a user', { ...ISSUER, FAIRLEAD_OIDC_ISSUER: 'https://u:p@id.example.com' }, 'without user, query and fragment'],
    ])('refuses %s', (_, variables, reason) => {
      const { message } = faultsOf(variables);
      expect(message).toContain(reason);
      expect(message).not.toContain('a-client-secret');
    }); // oxfmt-ignore
  });

  it('refuses one text for both kinds of key', () => {
    const both = faultsOf({ FAIRLEAD_MANAGEMENT_KEY: 'sixteen letters!', FAIRLEAD_API_KEY: 'sixteen letters!' });
    expect(both.message).toContain('FAIRLEAD_API_KEY must differ');
  });

  it('warns of keys that look guessable, without quoting them', () => {
    const weak = { FAIRLEAD_MANAGEMENT_KEY: 'changeme-changeme', FAIRLEAD_API_KEY: 'abcdefghijklmnopqrst' };
    const { warnings } = readEnvironment(weak, '/srv');
    expect(warnings).toEqual([
      'FAIRLEAD_MANAGEMENT_KEY looks guessable: make one with: openssl rand -hex 32',
      'FAIRLEAD_API_KEY looks guessable: make one with: openssl rand -hex 32',
    ]);
    const strong = { FAIRLEAD_MANAGEMENT_KEY: '3f9c7a1e5b8d2046', FAIRLEAD_API_KEY: 'Zq7-hT2w_Xv9LrB4' };
    expect(readEnvironment(strong, '/srv').warnings).toEqual([]);
  });

  it('reports all faults at once, one per line', () => {
    const { message } = faultsOf({ PORT: 'x', LOG_LEVEL: 'loud', FAIRLEAD_DRAIN: 'long' });
    expect(message.split('\n')).toHaveLength(4);
    for (const name of ['PORT', 'LOG_LEVEL', 'FAIRLEAD_DRAIN']) expect(message).toContain(`  ${name} must be`);
  });

  it('never repeats the text of a secret, however wrong it is', () => {
    const canary = 'canary-in-the-mine\n';
    const secrets = VARIABLE_ROWS.filter((row) => row.isSecret).map((row) => row.name);
    expect(secrets).toContain('DATABASE_URL');
    const { message } = faultsOf({
      ...Object.fromEntries(secrets.map((name) => [name, `${canary}${canary}`])),
      // Otherwise those of the key services are not read.
      FAIRLEAD_KEY_SERVICE: `aws-kms:${KMS_ID},vault-transit:transit/fairlead`,
    });
    for (const name of secrets) expect(message).toContain(name);
    expect(message).not.toContain('canary');
  });

  it('warns of unknown FAIRLEAD_ variables and of nothing else', () => {
    const { warnings } = readEnvironment({ FAIRLEAD_TIMEOUT: '5s', FAIRLEAD_DRAIN: '5s', OPENAI_API_KEY: 'x' }, '/srv');
    expect(warnings).toEqual([
      'FAIRLEAD_TIMEOUT is not a variable of Fairlead and has no effect; did you mean FAIRLEAD_TIMEOUTS?',
    ]);
  });

  it.each([
    ['DATABASE_URI', 'DATABASE_URL'],
    ['database-url', 'DATABASE_URL'],
    ['LOGLEVEL', 'LOG_LEVEL'],
    ['REDIS_URLS', 'REDIS_URL'],
    ['WORKER', 'WORKERS'],
    ['LEDGER_DURABILTY', 'LEDGER_DURABILITY'],
    ['HEALTH_PORT', 'FAIRLEAD_HEALTH_PORT'],
    ['TRUST_PROXY', 'FAIRLEAD_TRUST_PROXY'],
    ['MANAGEMENT_KEY', 'FAIRLEAD_MANAGEMENT_KEY'],
  ])('warns of %s, which was meant for %s', (name, meant) => {
    const { warnings } = readEnvironment({ [name]: 'canary' }, '/srv');
    expect(warnings).toEqual([`${name} has no effect on Fairlead; did you mean ${meant}?`]);
  });

  it.each(['DATABASE_URL', 'PORT', 'REDIS_URL', 'WORKERS', 'LOG_LEVEL', 'DATA_DIR'])(
    'warns of %s with a wrong prefix',
    (meant) => {
      const name = `FAIRLEAD_${meant}`;
      const { warnings } = readEnvironment({ [name]: 'canary' }, '/srv');
      expect(warnings).toEqual([`${name} is not a variable of Fairlead and has no effect; did you mean ${meant}?`]);
    },
  );

  it('ignores variables of other programs, and names without similarity', () => {
    const others = {
      FAIRLEAD: '1',
      PATH: '/bin',
      POSTGRES_URL: 'x',
      HOSTNAME: 'x',
      PORTS: '1',
      FLOOD: '1',
      API_KEY: 'x',
      DATABASE: 'x',
      AWS_REGIONS: 'x',
    };
    const { warnings } = readEnvironment({ ...others, FAIRLEAD_SOMETHING_ELSE: 'x' }, '/srv');
    expect(warnings).toEqual([
      'AWS_REGIONS has no effect on Fairlead; did you mean AWS_REGION?',
      'FAIRLEAD_SOMETHING_ELSE is not a variable of Fairlead and has no effect',
    ]);
  });

  it('warns of entries in NO_PROXY that name no host', () => {
    const { warnings } = readEnvironment(
      { NO_PROXY: 'a.test, a.test b.test,http://c.test,10.0.0.0/8,<local>' },
      '/srv',
    );
    const forms = ': names, addresses, networks, host:port, *';
    expect(warnings).toEqual(
      ['"a.test b.test"', '"http://c.test"', '"<local>"'].map(
        (entry) => `NO_PROXY names no host with ${entry}${forms}`,
      ),
    );
  });

  it('warns of the embedded database in production', () => {
    const warning = 'the embedded database is not safe against power loss: set DATABASE_URL for production';
    expect(readEnvironment({ NODE_ENV: 'production' }, '/srv').warnings).toEqual([warning]);
    expect(readEnvironment({ NODE_ENV: 'development' }, '/srv').warnings).toEqual([]);
    const server = { DATABASE_URL: 'postgres://db/x', FAIRLEAD_ENCRYPTION_KEYS: `k1:${KEY}` };
    expect(readEnvironment({ NODE_ENV: 'production', ...server }, '/srv').warnings).toEqual([]);
  });

  it('warns when no large body can ever be admitted', () => {
    const { warnings } = readEnvironment({ FAIRLEAD_BODIES_IN_FLIGHT: '1MiB' }, '/srv');
    expect(warnings).toEqual([expect.stringContaining('FAIRLEAD_BODIES_IN_FLIGHT is below twice FAIRLEAD_BODY_MAX')]);
  });
});
