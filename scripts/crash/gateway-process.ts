import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** A start creates a database, on a machine that may be busy. */
const START_MS_MAX = 120_000;
/** The length of a process's last output. */
const TAIL_CHARACTERS = 2_000;
const LISTENING = /listening at (http:\/\/[\d.:]+)/;

const running = new Set<GatewayProcess>();
// The end of this process ends the processes it has started, and no others.
process.once('exit', () => {
  for (const gateway of running) gateway.signal();
});

/** A gateway as a separate process, with only these variables. Ends only by SIGKILL. */
export class GatewayProcess {
  /** Warnings and errors in its log, without requests. */
  readonly complaints: string[] = [];
  private readonly child: ChildProcess;
  private readonly closed: Promise<unknown>;
  private readonly listening: Promise<string>;
  private tail = '';
  private isKilled = false;

  /** @param program Node arguments */
  constructor(program: readonly string[], variables: Readonly<Record<string, string>>) {
    this.child = spawn(process.execPath, program, {
      env: { PATH: process.env['PATH'] ?? '', PORT: '0', LOG_LEVEL: 'info', ...variables },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    running.add(this);
    this.closed = once(this.child, 'close').finally(() => running.delete(this));
    this.listening = new Promise((resolve, reject) => {
      let rest = '';
      const read = (text: string): void => {
        const lines = (rest + text).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) this.read(line, resolve);
      };
      this.child.stdout?.setEncoding('utf8').on('data', read);
      this.child.stderr?.setEncoding('utf8').on('data', read);
      void this.closed.then(() => {
        if (!this.isKilled) this.complaints.push(`ended by itself: ${this.tail}`);
        reject(new Error(`A gateway ended before it listened:\n${this.tail}`));
      });
      setTimeout(() => reject(new Error(`A gateway did not listen in time:\n${this.tail}`)), START_MS_MAX).unref();
    });
    // The process may be killed while no caller awaits its listening.
    this.listening.catch(() => undefined);
  }

  /** `http://127.0.0.1:<port>` once it listens. @throws when it ended before, or took too long */
  origin(): Promise<string> {
    return this.listening;
  }

  /** SIGKILL, to this process alone. Resolves when the operating system has removed it. */
  async kill(): Promise<void> {
    this.signal();
    await this.closed;
  }

  signal(): void {
    this.isKilled = true;
    this.child.kill('SIGKILL');
  }

  /** Suspends it, like a sleeping machine. */
  pause(): void {
    this.child.kill('SIGSTOP');
  }

  resume(): void {
    this.child.kill('SIGCONT');
  }

  private read(line: string, listens: (origin: string) => void): void {
    this.tail = `${this.tail}${line}\n`.slice(-TAIL_CHARACTERS);
    const origin = LISTENING.exec(line)?.[1];
    if (origin !== undefined) listens(origin);
    if (/"level":"(?:error|fatal)"/.test(line)) this.complaints.push(line);
  }
}
