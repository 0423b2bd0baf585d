import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { API_KEY, MANAGEMENT_KEY } from './app.js';
import { bundledProgram, flagsFor } from './bundled-program.js';

const ROOT = join(__dirname, '..', '..');
const START_MS_MAX = 120_000;

/** The gateway as a separate process, from the current sources: for effects that only the death of a process shows. */
export class GatewayProcess {
  private output = '';
  private readonly child: ChildProcess;
  private readonly ended: Promise<unknown>;

  private constructor(program: string, dataDir: string, variables: NodeJS.ProcessEnv) {
    this.child = spawn(process.execPath, [...flagsFor(variables), program], {
      cwd: ROOT,
      env: {
        PATH: process.env['PATH'],
        PORT: '0',
        DATA_DIR: dataDir,
        FAIRLEAD_API_KEY: API_KEY,
        FAIRLEAD_MANAGEMENT_KEY: MANAGEMENT_KEY,
        FAIRLEAD_ENCRYPTION_KEYS: `k1:${Buffer.alloc(32).toString('base64')}`,
        ...variables,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => (this.output += text));
    }
    this.ended = once(this.child, 'close');
  }

  /** Resolves when it listens and its store is open. */
  static async start(dataDir: string, variables: NodeJS.ProcessEnv): Promise<GatewayProcess> {
    const gateway = new GatewayProcess(await bundledProgram(), dataDir, variables);
    // A process that has not been returned to the caller can only be ended here.
    const tooLong = setTimeout(() => void gateway.kill(), START_MS_MAX);
    let isOver = false;
    void gateway.ended.then(() => (isOver = true));
    try {
      while (!gateway.origin) {
        if (isOver) throw new Error(`The gateway ended before it listened:\n${gateway.output}`);
        await Promise.race([once(gateway.child.stdout!, 'data'), gateway.ended]);
      }
    } finally {
      clearTimeout(tooLong);
    }
    return gateway;
  }

  /** `http://127.0.0.1:<port>`; empty before it listens. */
  get origin(): string {
    return /listening at (http:\/\/[\d.:]+)/.exec(this.output)?.[1] ?? '';
  }

  /** All that the process has written to stdout and stderr so far. */
  get written(): string {
    return this.output;
  }

  get processId(): number {
    return this.child.pid!;
  }

  /** `POST /messages` with the inference key. */
  messages(body: object): Promise<Response> {
    return fetch(`${this.origin}/api/v1/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  }

  /** Stops it as a terminal does, and waits for its end. */
  async stop(): Promise<void> {
    this.child.kill('SIGINT');
    await this.ended;
  }

  /** Sends it a signal, without waiting. */
  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Resolves when it has ended by itself. @returns its exit code */
  async exitCode(): Promise<number | null> {
    await this.ended;
    return this.child.exitCode;
  }

  /** Kills it without a chance to write anything. Safe to call again. */
  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.ended;
  }
}
