import { execFile, execFileSync } from 'node:child_process';
import { chown, mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const BINARIES = '/usr/lib/postgresql';
const COMMAND_MS_MAX = 60_000;
/** Commits that do not wait for the disk reach it late, so that a crash loses some of them. */
const SETTINGS = ['wal_writer_delay=10s', 'max_connections=40', 'shared_buffers=32MB', 'fsync=off'];

interface Identity {
  readonly uid: number;
  readonly gid: number;
}

/**
 * A PostgreSQL server for this run alone, on its own port, that can be killed and restarted. `fsync` is off, because
 * the machine itself does not die: what the server has passed to the system survives its crash.
 */
export class OwnCluster {
  private constructor(
    private readonly folder: string,
    private readonly binaries: string,
    private readonly port: number,
    private readonly identity: Identity | undefined,
  ) {}

  /** Folder of the server's programs; undefined where they are not installed. */
  static async findBinaries(): Promise<string | undefined> {
    const versions = await readdir(BINARIES).catch(() => []);
    const newest = versions
      .filter((name) => /^\d+$/.test(name))
      .toSorted((one, other) => Number(other) - Number(one))[0];
    return newest === undefined ? undefined : join(BINARIES, newest, 'bin');
  }

  static async start(binaries: string): Promise<OwnCluster> {
    const folder = await mkdtemp(join(tmpdir(), 'fairlead-cluster-'));
    const cluster = new OwnCluster(folder, binaries, await freePort(), identityOfServer());
    try {
      if (cluster.identity) await chown(folder, cluster.identity.uid, cluster.identity.gid);
      await cluster.command('initdb', ['-D', cluster.data, '-U', 'postgres', '-A', 'trust', '--no-sync']);
      await cluster.resume();
      return cluster;
    } catch (error) {
      await cluster.remove();
      throw error;
    }
  }

  get url(): string {
    return `postgres://postgres@127.0.0.1:${this.port}/postgres`;
  }

  /** Like a crash: without a shutdown, and with recovery at the next start. */
  async crash(): Promise<void> {
    await this.command('pg_ctl', ['-D', this.data, '-w', '-m', 'immediate', 'stop']);
  }

  async resume(): Promise<void> {
    const settings = SETTINGS.map((setting) => `-c ${setting}`).join(' ');
    const options = `-p ${this.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' ${settings}`;
    await this.command('pg_ctl', ['-D', this.data, '-w', '-l', join(this.folder, 'log'), '-o', options, 'start']);
  }

  /** Ends it and deletes its data. Never throws. */
  async remove(): Promise<void> {
    await this.crash().catch(() => undefined);
    await rm(this.folder, { recursive: true, force: true });
  }

  private get data(): string {
    return join(this.folder, 'data');
  }

  private async command(name: string, words: readonly string[]): Promise<void> {
    await run(join(this.binaries, name), [...words], { cwd: this.folder, timeout: COMMAND_MS_MAX, ...this.identity });
  }
}

/** The server refuses to run as root. */
function identityOfServer(): Identity | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const idOf = (flag: string): number => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
