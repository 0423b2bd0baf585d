// Checks that the process keeps the operating contract of docs/operate/configuration.md: settings are validated,
// keys are printed or not, and health, metrics, traces, logs without secrets, an orderly end and several workers
// work. The built program runs as a child process on free ports; its answers, output and exports are read, with
// canaries in every secret and in the conversation.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { bundledProgram, flagsFor } from '../support/bundled-program.js';
import { describeOnPostgres } from '../support/database.js';
import { copyPreparedStore } from '../support/prepared-store.js';

const ROOT = join(__dirname, '..', '..');
const KEY = 'inference-canary-0123';
const MANAGEMENT_KEY = 'management-canary-0123';
/** A start makes a database, on a machine that may be busy with other tests. */
const LIFE_MS_MAX = 120_000;

let directory: string;
let mainFile: string;
const running = new Set<GatewayProcess>();

/** The arguments of the program, and those of Node itself. */
interface ProgramWords {
  readonly words?: readonly string[];
  readonly flags?: readonly string[];
  /** Whether the program runs under a separate terminal. */
  readonly isAtTerminal?: boolean;
}

/** A program that gives another a terminal; without it that test is listed as skipped. */
const TERMINAL = 'script';
const hasTerminal = spawnSync(TERMINAL, ['--version']).stdout?.includes('util-linux') ?? false;
const terminalWords = (program: readonly string[]): string[] => [
  '--quiet',
  '--return',
  '--command',
  `exec ${program.map((word) => `'${word}'`).join(' ')}`,
  '/dev/null',
];

/** The program as a child process with these variables and no others. */
class GatewayProcess {
  output = '';
  readonly variables: Readonly<Record<string, string>>;
  readonly ended: Promise<number | null>;
  private readonly child: ChildProcess;

  constructor(variables: Record<string, string>, { words = [], flags = [], isAtTerminal = false }: ProgramWords = {}) {
    const environment = { PATH: process.env['PATH'] ?? '', PORT: '0', DATA_DIR: join(directory, 'data'), ...variables };
    this.variables = variables;
    const program = [...flagsFor(variables), ...flags, mainFile, ...words];
    const [command, given] = isAtTerminal
      ? [TERMINAL, terminalWords([process.execPath, ...program])]
      : [process.execPath, program];
    this.child = spawn(command, given, { cwd: ROOT, env: environment, stdio: 'pipe' });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      // A terminal ends its lines otherwise.
      stream?.setEncoding('utf8').on('data', (text: string) => (this.output += text.replaceAll('\r\n', '\n')));
    }
    // `close` is emitted after the last byte of output, `exit` possibly before it.
    this.ended = once(this.child, 'close').then(([code]) => {
      running.delete(this);
      return code as number | null;
    });
    running.add(this);
  }

  /** Waits for a line of output; fails when the process ends without it. */
  async prints(pattern: RegExp, times = 1): Promise<string> {
    const all = new RegExp(pattern, 'g');
    let ended = false;
    void this.ended.then(() => (ended = true));
    for (;;) {
      const matches = this.output.match(all) ?? [];
      const [first] = matches;
      if (first !== undefined && matches.length >= times) return first;
      if (ended) throw new Error(`The process ended without printing ${pattern}:\n${this.output}`);
      await Promise.race([once(this.child.stdout!, 'data'), this.ended]);
    }
  }

  async origin(workers = 1): Promise<string> {
    return (await this.prints(/listening at http:\/\/[\d.:]+/, workers)).replace('listening at ', '');
  }

  signal(name: NodeJS.Signals): void {
    this.child.kill(name);
  }
}

const ask = (origin: string, body: object, key = KEY): Promise<Response> =>
  fetch(`${origin}/api/v1/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ max_tokens: 64, messages: [{ role: 'user', content: 'a content-canary' }], ...body }),
  });

/** @returns the path of a data directory whose database is there: only a test of a first start has it created */
async function prepareStore(name: string): Promise<string> {
  const path = join(directory, name);
  await copyPreparedStore(path);
  return path;
}

/** A port without a listener at this moment. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'fairlead-operation-'));
  mainFile = await bundledProgram();
  await prepareStore('data');
}, LIFE_MS_MAX);

afterAll(async () => {
  for (const gateway of running) gateway.signal('SIGKILL');
  await Promise.all([...running].map((gateway) => gateway.ended));
  await rm(directory, { recursive: true, force: true });
}, 240_000);

describe('a start that cannot succeed', () => {
  it('exits 1 naming every wrong variable and showing no secret', async () => {
    const gateway = new GatewayProcess({
      PORT: 'eighty',
      LOG_LEVEL: 'loud',
      DATABASE_URL: 'mysql://url-canary',
      FAIRLEAD_API_KEY: 'short-canary',
      FAIRLEAD_ENCRYPTION_KEYS: 'canary',
      FAIRLEAD_TIMEOUT: 'near-canary',
      FAIRLEAD_CATALOG: join(directory, 'absent.yaml'),
      DATA_DIR: join(__filename, 'data'),
    });
    expect(await gateway.ended).toBe(1);
    expect(gateway.output).toMatch(/^ {2}FAIRLEAD_TIMEOUT .*; did you mean FAIRLEAD_TIMEOUTS\?$/m);
    for (const name of [
      'PORT',
      'LOG_LEVEL',
      'DATABASE_URL',
      'FAIRLEAD_API_KEY',
      'FAIRLEAD_ENCRYPTION_KEYS',
      'FAIRLEAD_CATALOG',
      'DATA_DIR',
    ]) {
      expect(gateway.output).toMatch(new RegExp(`^  ${name} `, 'm'));
    }
    expect(gateway.output).not.toContain('canary');
  });

  it.each([
    ['nonsense.invalid', /HOST cannot be listened on: nonsense\.invalid \(E(?:NOTFOUND|AI_AGAIN)\)/],
    ['203.0.113.7', /HOST cannot be listened on: 203\.0\.113\.7 \(EADDRNOTAVAIL\)/],
  ])(
    'exits 1 naming HOST %s together with the other settings',
    async (host, line) => {
      const gateway = new GatewayProcess({ HOST: host, LOG_LEVEL: 'loud', FAIRLEAD_CATALOG: 'nowhere.yaml' });
      expect(await gateway.ended).toBe(1);
      expect(gateway.output).toMatch(line);
      for (const other of ['LOG_LEVEL', 'FAIRLEAD_CATALOG']) expect(gateway.output).toContain(other);
    },
    LIFE_MS_MAX,
  );

  it('exits 1 naming a bad catalog', async () => {
    const catalog = join(directory, 'bad.yaml');
    await writeFile(catalog, 'version: 1\nmodels: 5\n');
    const gateway = new GatewayProcess({ FAIRLEAD_CATALOG: catalog });
    expect(await gateway.ended).toBe(1);
    expect(gateway.output).toContain('bad.yaml');
  });

  it('exits 1 naming a data folder it cannot write to', async () => {
    const file = join(directory, 'file');
    await writeFile(file, '');
    const gateway = new GatewayProcess({ DATA_DIR: file });
    expect(await gateway.ended).toBe(1);
    expect(gateway.output).toContain('DATA_DIR must be a folder');
  });

  it('exits 1 on a Node that is too old, in one line', async () => {
    const versions = '{value:{...process.versions,node:"20.18.3"}}';
    const flags = ['--import', `data:text/javascript,Object.defineProperty(process,"versions",${versions})`];
    const gateway = new GatewayProcess({}, { flags });
    expect(await gateway.ended).toBe(1);
    expect(gateway.output).toBe('Fairlead needs Node 20.19 or later, and this is 20.18.3.\n');
  });

  it('answers a command instead of a start', async () => {
    const help = new GatewayProcess({}, { words: ['--help'] });
    expect([await help.ended, help.output.split('\n')[0]]).toEqual([
      0,
      expect.stringMatching(/^Fairlead \d+\.\d+\.\d+, a model/),
    ]);
    const wrong = new GatewayProcess({}, { words: ['--prot'] });
    expect([await wrong.ended, wrong.output]).toEqual([2, expect.stringContaining('has no argument "--prot"')]);
  });
});

describe('a start at a terminal', () => {
  const flags = ['--import', 'data:text/javascript,process.stdout.isTTY=true'];

  it(
    'prints a banner and, the first time alone, the keys',
    async () => {
      const variables = { DATA_DIR: join(directory, 'terminal'), LOG_LEVEL: 'warn' };
      const first = new GatewayProcess(variables, { flags });
      await first.prints(/curl http.*\n/);
      const url = /^Fairlead \d+\.\d+\.\d+ listens at (http:\/\/[\d.:]+)$/m.exec(first.output)![1]!;
      const [banner, keys] = first.output.split('\n\nFAIRLEAD_MANAGEMENT_KEY=');
      for (const line of [`Reference  ${url}/docs`, 'Keys       printed below', 'sandbox/', 'ANTHROPIC_API_KEY'])
        expect(banner).toContain(line);
      expect(banner!.trim().split('\n').length).toBeLessThan(12);
      expect(keys).toMatch(/^sk-fl-v1-[0-9a-f]{64}\nFAIRLEAD_API_KEY=sk-fl-v1-[0-9a-f]{64}\ncurl http/);
      await first.prints(/Sign in to the console, once and within 15 minutes: http:\S+\/console#link=[\w-]{43}\n/);
      first.signal('SIGINT');
      await first.ended;
      const second = new GatewayProcess(variables, { flags });
      await second.prints(/ {2}Data .*\n/);
      second.signal('SIGINT');
      await second.ended;
      expect(second.output).not.toMatch(/sk-fl-v1|^curl|#link=/m);
    },
    LIFE_MS_MAX,
  );

  (hasTerminal ? it : it.skip)(
    'knows a real terminal: a banner in place of the log, which has JSON lines alone where there is none',
    async () => {
      const variables = {
        FAIRLEAD_API_KEY: KEY,
        FAIRLEAD_MANAGEMENT_KEY: MANAGEMENT_KEY,
        OPENAI_API_KEY: 'sk-canary-0123456789',
      };
      const shown = new GatewayProcess({ ...variables, DATA_DIR: await prepareStore('shown') }, { isAtTerminal: true });
      await shown.prints(/ {2}Data .*\n/);
      const origin = /listens at (http:\/\/[\d.:]+)/.exec(shown.output)![1]!;
      expect((await ask(origin, { model: 'sandbox/echo' })).status).toBe(200);
      shown.signal('SIGTERM');
      await shown.ended;
      const lines = shown.output.split('\n');
      const banner = lines.slice(
        lines.findIndex((line) => line.startsWith('Fairlead ')),
        lines.findIndex((line) => line.startsWith('  Data')) + 1,
      );
      expect(banner.map((line) => line.trim().split(/ {2,}/)[0])).toEqual([
        expect.stringMatching(/^Fairlead \d+\.\d+\.\d+ listens at http/),
        '',
        'Console',
        'Reference',
        'API',
        'Keys',
        'Models',
        'Providers',
        'Data',
      ]);
      expect(banner.join('\n')).toMatch(
        /Reference +http.*\/docs\n.*\/api for Anthropic clients\n.*POST \/api\/v1\/keys\n.* can be called: .*\n.*start with [A-Z_]+_API_KEY/,
      );
      expect(shown.output).not.toContain('canary');
      expect(shown.output).not.toContain('"message":"listening at');

      const logged = new GatewayProcess({ ...variables, DATA_DIR: await prepareStore('logged') });
      await logged.origin();
      logged.signal('SIGTERM');
      await logged.ended;
      for (const line of logged.output.trim().split('\n'))
        expect(JSON.parse(line)).toMatchObject({ level: expect.any(String) });
    },
    2 * LIFE_MS_MAX,
  );
});

describeOnPostgres('a start by a role without rights', (database) => {
  it(
    'exits 1 in one line that names the GRANT',
    async () => {
      const owner = await database.connect();
      const role = `fairlead_start_${process.pid}`;
      await owner.query(`create role ${role} login password 'guest-canary'`);
      try {
        const url = new URL(database.settings.databaseUrl!.reveal());
        url.username = role;
        url.password = 'guest-canary';
        const gateway = new GatewayProcess({
          DATABASE_URL: url.href,
          FAIRLEAD_ENCRYPTION_KEYS: `k1:${Buffer.alloc(32, 7).toString('base64')}`,
        });
        expect(await gateway.ended).toBe(1);
        expect(gateway.output).toMatch(new RegExp(`(?:^|\\n)The role ${role} .*: GRANT \\S+ TO ${role};\n$`));
      } finally {
        await owner.query(`drop role ${role}`);
        await owner.destroy();
      }
    },
    LIFE_MS_MAX,
  );
});

describe('the life of a process', () => {
  let collector: Server;
  let exported = '';

  beforeAll(async () => {
    collector = createServer((request, response) => {
      request.setEncoding('latin1').on('data', (text: string) => (exported += text));
      request.on('end', () => response.setHeader('content-type', 'application/json').end('{}'));
    }).listen(0, '127.0.0.1');
    await once(collector, 'listening');
  });
  afterAll(() => {
    collector.closeAllConnections();
    collector.close();
  });

  it(
    'is ready, measures, drains on SIGTERM, and reveals no secret and no content anywhere',
    async () => {
      const gateway = new GatewayProcess({
        LOG_LEVEL: 'trace',
        FAIRLEAD_API_KEY: KEY,
        FAIRLEAD_MANAGEMENT_KEY: MANAGEMENT_KEY,
        FAIRLEAD_TYPO: 'typo-canary',
        ANTHROPIC_API_KEY: 'provider-canary',
        OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
      });
      const origin = await gateway.origin();
      const ready = await fetch(`${origin}/health/ready`);
      expect([ready.status, await ready.json()]).toMatchObject([
        200,
        { status: 'ok', checks: { database: { ready: true } } },
      ]);
      expect(await (await fetch(`${origin}/health/live`)).json()).toEqual({ status: 'ok' });
      expect((await ask(origin, { model: 'sandbox/echo' })).status).toBe(200);
      expect((await ask(origin, { model: 'sandbox/echo' }, 'wrong-canary-0123')).status).toBe(401);

      const metrics = await fetch(`${origin}/metrics`);
      expect(metrics.headers.get('content-type')).toContain('text/plain');
      const figures = await metrics.text();
      expect(figures).toMatch(/^fairlead_requests_total\{route="[^"]*\/messages",method="POST",status="200"\} 1$/m);
      expect(figures).toMatch(/^fairlead_requests_total\{route="[^"]*",method="POST",status="401"\} 1$/m);
      expect(figures).toMatch(/^fairlead_upstream_attempts_total\{provider="sandbox",outcome="answered"\} 1$/m);
      expect(figures).toMatch(/^fairlead_tokens_total\{provider="sandbox",direction="output"\} [1-9]/m);

      const stream = await ask(origin, { model: 'sandbox/slow', stream: true });
      gateway.signal('SIGTERM');
      await gateway.prints(/SIGTERM: stopping/);
      const late = await ask(origin, { model: 'sandbox/echo' });
      expect([late.status, late.headers.get('connection')]).toEqual([200, 'close']);
      expect((await fetch(`${origin}/health/ready`)).status).toBe(503);
      expect((await fetch(`${origin}/health/live`)).status).toBe(200);
      expect(await stream.text()).toMatch(/data: \[DONE\]\n\n$/);
      expect(await gateway.ended).toBe(0);

      // Keys that a variable gives are not printed.
      expect(gateway.output).not.toMatch(/^FAIRLEAD_|^curl/m);
      expect(gateway.output).toContain('FAIRLEAD_TYPO is not a variable of Fairlead');
      expect(gateway.output).toMatch(
        /"msg":"Fairlead \d+\.\d+\.\d+; embedded database; no Redis; catalog [^"]*; data in \//,
      );
      const lines = gateway.output
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      const requests = lines.filter((line) => line.msg === 'request' && line.method === 'POST');
      expect(requests.map((line) => [line.status, line.streamed, line.outcome])).toEqual([
        [200, false, 'completed'],
        [401, undefined, 'unauthenticated'],
        [200, false, 'completed'],
        [200, true, 'completed'],
      ]);
      const unready = lines.find(
        ({ msg, route, status }) => msg === 'request' && route === '/health/ready' && status === 503,
      );
      expect(unready.outcome).toBe('service-unavailable');
      expect(requests[0].attempts).toEqual([
        { provider: 'sandbox', model: 'sandbox/echo', status: 200, ms: expect.any(Number) },
      ]);
      expect(requests[0]).toMatchObject({ outputTokens: expect.any(Number), costUsd: expect.any(Number) });
      for (const text of [gateway.output, figures, exported]) expect(text).not.toContain('canary');
      expect(exported).toContain('chat sandbox/echo');
      expect(exported).toContain('gen_ai.usage.output_tokens');
    },
    LIFE_MS_MAX,
  );

  it(
    'leaves at once at a signal two seconds later',
    async () => {
      const gateway = new GatewayProcess({});
      const origin = await gateway.origin();
      const stream = await ask(origin, { model: 'sandbox/slow', stream: true });
      expect(stream.status).toBe(200);
      gateway.signal('SIGTERM');
      await gateway.prints(/SIGTERM: stopping/);
      await sleep(2_100);
      gateway.signal('SIGTERM');
      expect(await gateway.ended).toBe(1);
      await expect(stream.text()).rejects.toThrow();
    },
    LIFE_MS_MAX,
  );
});

describe('a port for health', () => {
  const statusAt = async (url: string): Promise<number> => (await fetch(url)).status;

  it(
    'reports on the process until it ends, and the port for traffic does not',
    async () => {
      const gateway = new GatewayProcess({ FAIRLEAD_API_KEY: KEY, FAIRLEAD_HEALTH_PORT: '0' });
      const origin = await gateway.origin();
      const health = (await gateway.prints(/health at http:\/\/[\d.:]+/)).replace('health at ', '');
      expect(await statusAt(`${health}/health/live`)).toBe(200);
      const ready = await fetch(`${health}/health/ready`);
      expect([ready.status, await ready.json()]).toMatchObject([200, { status: 'ok', checks: { process: {} } }]);
      expect(await (await fetch(`${health}/metrics`)).text()).toMatch(/^fairlead_build_info\{.*\} 1$/m);
      expect(await statusAt(`${health}/api/v1/messages`)).toBe(404);
      const posted = await fetch(`${health}/health/ready`, { method: 'POST', body: '{}' });
      expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
      expect((await fetch(`${health}/health/ready`, { method: 'HEAD' })).status).toBe(200);
      for (const path of ['health/live', 'health/ready', 'metrics'])
        expect(await statusAt(`${origin}/${path}`)).toBe(404);

      const stream = await ask(origin, { model: 'sandbox/slow', stream: true });
      gateway.signal('SIGTERM');
      await gateway.prints(/SIGTERM: stopping/);
      expect(await statusAt(`${health}/health/ready`)).toBe(503);
      expect(await statusAt(`${health}/health/live`)).toBe(200);
      expect(await stream.text()).toMatch(/data: \[DONE\]\n\n$/);
      expect(await gateway.ended).toBe(0);
      // The port for traffic opened late, and accepts as many connections per turn as one that opened at once.
      expect(gateway.output).not.toContain('handles of the port');
    },
    LIFE_MS_MAX,
  );

  it(
    'answers while the store is waited for, and the port for traffic is closed',
    async () => {
      const [port, closedPort] = await Promise.all([freePort(), freePort()]);
      const gateway = new GatewayProcess({
        PORT: String(port),
        FAIRLEAD_HEALTH_PORT: String(await freePort()),
        DATABASE_URL: `postgres://user:secret-canary@127.0.0.1:${closedPort}/books`,
        FAIRLEAD_ENCRYPTION_KEYS: `k1:${Buffer.alloc(32).toString('base64')}`,
      });
      await gateway.prints(/which cannot be used yet \(ECONNREFUSED\)/);
      const health = `http://127.0.0.1:${gateway.variables['FAIRLEAD_HEALTH_PORT']}`;
      expect(await statusAt(`${health}/health/live`)).toBe(200);
      expect(await statusAt(`${health}/health/ready`)).toBe(503);
      expect(await statusAt(`${health}/metrics`)).toBe(503);
      await expect(fetch(`http://127.0.0.1:${port}/health/live`)).rejects.toThrow();
      gateway.signal('SIGTERM');
      await sleep(2_100);
      gateway.signal('SIGTERM');
      await gateway.ended;
      expect(gateway.output).not.toContain('canary');
    },
    LIFE_MS_MAX,
  );
});

it(
  'a server of the database that accepts connections and does not answer: the log names the time-out',
  async () => {
    const server = createTcpServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const gateway = new GatewayProcess({
      DATABASE_URL: `postgres://user:secret-canary@127.0.0.1:${(server.address() as AddressInfo).port}/books`,
      FAIRLEAD_ENCRYPTION_KEYS: `k1:${Buffer.alloc(32).toString('base64')}`,
    });
    await gateway.prints(/which cannot be used yet \((?:timeout|Connection terminated)[^)]*\)/);
    gateway.signal('SIGTERM');
    await sleep(2_100);
    gateway.signal('SIGTERM');
    await gateway.ended;
    expect(gateway.output).not.toContain('canary');
    server.close();
  },
  LIFE_MS_MAX,
);

describeOnPostgres('a server of the database', (database) => {
  it('that refuses the connection ends the start in one line, without a secret', async () => {
    const url = new URL(database.settings.databaseUrl!.reveal());
    [url.username, url.password, url.pathname] = ['nobody_of_that_name', 'secret-canary', '/nothing'];
    const FAIRLEAD_ENCRYPTION_KEYS = `k1:${Buffer.alloc(32).toString('base64')}`;
    const gateway = new GatewayProcess({ DATABASE_URL: url.href, FAIRLEAD_ENCRYPTION_KEYS });
    expect(await gateway.ended).toBe(1);
    const lines = gateway.output
      .trim()
      .split('\n')
      .filter((line) => !line.startsWith('{'));
    expect(lines).toEqual([expect.stringMatching(/^DATABASE_URL names [^ ]+\/nothing: .*nobody_of_that_name/)]);
    expect(gateway.output).not.toContain('canary');
  });
});

describeOnPostgres('several workers', (database) => {
  const redis = globalThis.__SERVICES__.redis;

  // With PostgreSQL but without Redis, only the refusal to start can be tested.
  it.each([
    ['share a port and their metrics, and end together', {}],
    ['have one port for health', { FAIRLEAD_HEALTH_PORT: '0' }],
  ])(
    '%s',
    async (_, more: Record<string, string>) => {
      const variables = {
        WORKERS: '2',
        DATABASE_URL: database.settings.databaseUrl!.reveal(),
        FAIRLEAD_ENCRYPTION_KEYS: `k1:${Buffer.alloc(32).toString('base64')}`,
        FAIRLEAD_API_KEY: KEY,
        ...more,
        ...(redis !== null && { REDIS_URL: redis }),
      };
      const gateway = new GatewayProcess(variables);
      if (redis === null) {
        expect(await gateway.ended).toBe(1);
        expect(gateway.output).toContain('WORKERS above 1 needs REDIS_URL');
        return;
      }
      const origin = await gateway.origin(2);
      const hasHealthPort = 'FAIRLEAD_HEALTH_PORT' in more;
      const health = hasHealthPort
        ? (await gateway.prints(/health at http:\/\/[\d.:]+/)).replace('health at ', '')
        : origin;
      const described = Array.from({ length: 10 }, () =>
        fetch(`${origin}/openapi.json`, { headers: { connection: 'close' } }),
      );
      expect((await Promise.all(described)).map((response) => response.status)).toEqual(described.map(() => 200));
      const ready = await fetch(`${health}/health/ready`);
      expect([ready.status, await ready.json()]).toEqual([
        200,
        hasHealthPort
          ? { status: 'ok', checks: { workers: { ready: true, detail: '2 of 2 are ready' } } }
          : expect.objectContaining({ status: 'ok' }),
      ]);
      for (let question = 0; question < 2; question++) {
        expect(await (await fetch(`${health}/metrics`, { headers: { connection: 'close' } })).text()).toMatch(
          /^fairlead_requests_total\{route="\/openapi.json",method="GET",status="200"\} 10$/m,
        );
      }
      const figures = await (await fetch(`${health}/metrics`)).text();
      // Each worker reports 1 of these.
      for (const series of ['database_up', 'redis_up', 'build_info\\{.*\\}', 'catalog_info\\{.*\\}'])
        expect(figures).toMatch(new RegExp(`^fairlead_${series} 1$`, 'm'));
      expect((await ask(origin, { model: 'sandbox/echo' })).status).toBe(200);
      gateway.signal('SIGINT');
      expect(await gateway.ended).toBe(0);
      expect(gateway.output.match(/"msg":"stopped"/g)).toHaveLength(2);
    },
    LIFE_MS_MAX,
  );
});
