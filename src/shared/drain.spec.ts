// Stopping fails no request, keeps its time limits, and leaves no work undone (docs/operate/scaling.md#stopping). A
// real server on a free port; only the timers that Drain sets are moved by hand.
import { once } from 'node:events';
import {
  Agent,
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { Drain, type DrainOptions } from './drain.js';
import { Readiness } from './readiness.js';

jest.useFakeTimers({
  doNotFake: ['nextTick', 'setImmediate', 'clearImmediate', 'queueMicrotask', 'performance', 'hrtime', 'Date'],
});

interface Fixture {
  readonly drain: Drain;
  readonly server: Server;
  readonly readiness: Readiness;
  readonly log: string[];
  readonly agent: Agent;
  /** Answers that the server holds open. */
  readonly held: ServerResponse[];
  readonly get: (path: string) => Promise<IncomingMessage>;
}

const open: Fixture[] = [];

async function startDraining(options: Partial<DrainOptions> = {}): Promise<Fixture> {
  const held: ServerResponse[] = [];
  const log: string[] = [];
  const readiness = new Readiness();
  readiness.markStarted();
  const server = createServer((request, response) => {
    if (request.url === '/held') {
      held.push(response);
      response.flushHeaders();
    } else if (request.url === '/waiting') held.push(response);
    else response.end('ok');
  });
  const write = (message: unknown): void => void log.push(String(message));
  const drain = new Drain({
    server,
    closeListener: () => server.close(),
    readiness,
    drainMs: 120_000,
    abortAll: () => held.forEach((response) => response.destroy()),
    steps: [],
    log: { log: write, warn: write },
    ...options,
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const agent = new Agent({ keepAlive: true });
  const get = async (path: string): Promise<IncomingMessage> => {
    const outgoing = httpRequest({ host: '127.0.0.1', port, path, agent }).end();
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    return response;
  };
  const fixture = { drain, server, readiness, log, agent, held, get };
  open.push(fixture);
  return fixture;
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
const drained = async (response: IncomingMessage): Promise<void> => {
  response.resume();
  await once(response, 'close');
};

afterEach(() => {
  for (const { agent, server } of open.splice(0)) {
    agent.destroy();
    server.closeAllConnections();
    server.close();
  }
});

/** More than buffers of sockets hold. */
const LARGE = Buffer.alloc(32 * 1024 * 1024, 'x');

async function lengthOf(response: IncomingMessage): Promise<number> {
  let length = 0;
  for await (const chunk of response) length += (chunk as Buffer).length;
  return length;
}

it('loses nothing of a reply that has ended and is still being sent while another connection closes', async () => {
  const { drain, held, get } = await startDraining();
  const [slow, quick] = [await get('/held'), await get('/held')];
  const stopped = drain.run('SIGINT');
  await settle();
  held[0]!.end(LARGE);
  held[1]!.end('ok');
  expect(await lengthOf(quick)).toBe(2);
  await settle();
  expect(await lengthOf(slow)).toBe(LARGE.length);
  await stopped;
});

it('closes the listener, and with it idle connections, only when ended replies have left', async () => {
  const { drain, held, get } = await startDraining();
  const slow = await get('/held');
  held[0]!.end(LARGE);
  const stopped = drain.run('SIGINT');
  await settle();
  expect(await lengthOf(slow)).toBe(LARGE.length);
  await jest.advanceTimersByTimeAsync(10);
  await stopped;
});

it('answers a connection that waited to be accepted when the stop began', async () => {
  const { drain, server } = await startDraining();
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  // The system accepts it; this process does not, because its loop is busy.
  const until = performance.now() + 50;
  while (performance.now() < until);
  const stopped = drain.run('SIGINT');
  socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n');
  const [reply] = (await once(socket, 'data')) as [Buffer];
  expect(reply.toString()).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*connection: close/i);
  socket.destroy();
  await stopped;
});

describe('Drain', () => {
  it('is not ready immediately, and continues to answer for five seconds with Connection: close', async () => {
    const { drain, readiness, server, get } = await startDraining();
    const before = await get('/');
    expect(before.headers.connection).toBe('keep-alive');
    await drained(before);
    const done = drain.run('SIGTERM');
    expect(readiness.state().ready).toBe(false);
    await jest.advanceTimersByTimeAsync(4999);
    const during = await get('/');
    expect([during.statusCode, during.headers.connection]).toEqual([200, 'close']);
    await drained(during);
    await jest.advanceTimersByTimeAsync(1);
    await done;
    expect(server.listening).toBe(false);
  });

  it('closes the connections of waiting answers as well, whose headers are not sent', async () => {
    const { drain, held, get } = await startDraining();
    const answer = get('/waiting');
    await expectSoon(() => held.length === 1);
    const done = drain.run('SIGINT');
    held[0]!.end('late');
    const response = await answer;
    expect(response.headers.connection).toBe('close');
    await drained(response);
    await done;
  });

  it('lets an open stream end within the drain time and stops right after it', async () => {
    const { drain, held, log, get } = await startDraining();
    const response = await get('/held');
    let stopped = false;
    const done = drain.run('SIGTERM').then(() => (stopped = true));
    await jest.advanceTimersByTimeAsync(5000 + 119_999);
    expect(stopped).toBe(false);
    held[0]!.end('the end');
    await drained(response);
    await done;
    expect(response.complete).toBe(true);
    expect(log).toEqual(['SIGTERM: stopping, 1 requests open', 'stopped']);
  });

  it('aborts open requests after the drain time', async () => {
    const { drain, log, get } = await startDraining({ drainMs: 1000 });
    const response = await get('/held');
    const closed = once(response, 'error');
    const done = drain.run('SIGTERM');
    await jest.advanceTimersByTimeAsync(5000);
    await settle();
    await jest.advanceTimersByTimeAsync(1000);
    await closed;
    await done;
    expect(log).toContain('1 requests are still open and are aborted');
  });

  it('cuts connections whose request ignores the abort', async () => {
    const { drain, get } = await startDraining({ drainMs: 0, abortAll: () => undefined });
    const response = await get('/held');
    const closed = once(response, 'error');
    const done = drain.run('SIGINT');
    await settle();
    await jest.advanceTimersByTimeAsync(0);
    await jest.advanceTimersByTimeAsync(5000);
    await closed;
    await done;
  });

  it('lets work without a request end as well, including work that starts when a request closes', async () => {
    let size = 1;
    let finish = (): void => undefined;
    const idle = (): Promise<void> =>
      size === 0 ? Promise.resolve() : new Promise((resolve) => (finish = () => ((size = 0), resolve())));
    const background = [
      {
        get size() {
          return size;
        },
        idle,
      },
    ];
    const { drain, held, log, get } = await startDraining({ background });
    const response = await get('/held');
    let stopped = false;
    const done = drain.run('SIGINT').then(() => (stopped = true));
    held[0]!.end('the end');
    await drained(response);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(stopped).toBe(false);
    finish();
    await done;
    expect(log).toEqual(['SIGINT: stopping, 2 requests open', 'stopped']);
  });

  it('aborts work without a request after the drain time', async () => {
    let finish = (): void => undefined;
    const over = new Promise<void>((resolve) => (finish = resolve));
    const background = [{ size: 1, idle: () => over }];
    const { drain, log } = await startDraining({ background, drainMs: 1_000, abortAll: () => finish() });
    const done = drain.run('SIGINT');
    await settle();
    await jest.advanceTimersByTimeAsync(1_000);
    await done;
    expect(log).toContain('1 requests are still open and are aborted');
  });

  it('does not wait for idle kept-alive connections', async () => {
    const { drain, get } = await startDraining();
    await drained(await get('/'));
    await drain.run('SIGINT');
  });

  it('bounds each last step, and runs the next one in any case', async () => {
    const ran: string[] = [];
    const { drain, log } = await startDraining({
      steps: [
        { name: 'exporter', run: () => new Promise<void>(() => ran.push('exporter')) },
        {
          name: 'ledger',
          run: async () => {
            ran.push('ledger');
            throw new Error('no disk');
          },
        },
        { name: 'database', run: async () => void ran.push('database') },
      ],
    });
    const done = drain.run('SIGINT');
    await settle();
    await jest.advanceTimersByTimeAsync(5000);
    await done;
    expect(ran).toEqual(['exporter', 'ledger', 'database']);
    expect(log.slice(1)).toEqual(['exporter did not end within 5000 ms and is left', 'ledger failed', 'stopped']);
  });

  it('runs once, for any number of calls', async () => {
    const { drain, log } = await startDraining();
    expect(drain.run('SIGINT')).toBe(drain.run('SIGTERM'));
    await drain.run('SIGINT');
    expect(log.filter((line) => line === 'stopped')).toHaveLength(1);
  });
});

/** Yields to the sockets until the condition holds; the test's own time limit bounds it. */
async function expectSoon(holds: () => boolean): Promise<void> {
  while (!holds()) await settle();
}
