import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';

const COMMAND = 'redis-server';
const isInstalled = spawnSync(COMMAND, ['--version']).status === 0;

/** For suites that start a Redis of their own: listed as skipped where the program is not installed. */
export const describeOnOwnRedis = isInstalled ? describe : describe.skip;

/** A Redis server that a test ends and starts again, at one port and with one directory. */
export class OwnRedis {
  private server: ChildProcess | undefined;

  private constructor(
    private readonly port: number,
    private readonly directory: string,
  ) {}

  static async start(): Promise<OwnRedis> {
    const redis = new OwnRedis(await freePort(), await mkdtemp(join(tmpdir(), 'fairlead-redis-')));
    await redis.begin();
    return redis;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** Starts the ended server again. It reads what it has stored. */
  async begin(): Promise<void> {
    const { port, directory } = this;
    const settings = ['--port', String(port), '--bind', '127.0.0.1', '--dir', directory, '--appendonly', 'no'];
    this.server = spawn(COMMAND, [...settings, '--save', ''], { stdio: 'ignore' });
    const client = new Redis(this.url, { retryStrategy: () => 20, maxRetriesPerRequest: null });
    client.on('error', () => undefined);
    await client.ping();
    client.disconnect();
  }

  /** Ends it at once: nothing is stored. */
  async kill(): Promise<void> {
    const { server } = this;
    if (!server || server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'exit');
    server.kill('SIGKILL');
    await ended;
  }

  /** Ends it after it has stored all it has. */
  async stopWithItsData(): Promise<void> {
    const client = new Redis(this.url);
    await client.save();
    client.disconnect();
    await this.kill();
  }

  async remove(): Promise<void> {
    await this.kill();
    await rm(this.directory, { recursive: true, force: true });
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  await sleep(0);
  return port;
}
