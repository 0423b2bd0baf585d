// Runs commands in parallel lanes, those of one lane in sequence: for scripts that use both of two cores.
import { spawn } from 'node:child_process';
import process from 'node:process';

const NOT_RUN = 3;
const KILL_AFTER_MS = 15_000;

/**
 * @typedef {object} Stage
 * @property {string} name
 * @property {readonly string[]} command
 * @property {boolean} [mayNotRun] whether the status 3, for want of a program, is no failure
 */

/**
 * @typedef {object} Result
 * @property {string} name
 * @property {'passed' | 'not run' | 'FAILED' | 'stopped'} outcome
 * @property {number} seconds
 * @property {string} output
 */

export class ParallelStages {
  /** @type {Result[]} of all stages so far, in the order in which they ended */
  results = [];
  /** @type {Set<import('node:child_process').ChildProcess>} */
  #running = new Set();
  #isStopped = false;
  #stopsAtFailure;

  /** @param {{ readonly stopsAtFailure: boolean }} options whether the first failure ends what still runs */
  constructor({ stopsAtFailure }) {
    this.#stopsAtFailure = stopsAtFailure;
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => this.#stop());
  }

  /** Whether everything has run, without a failure. */
  get isSound() {
    return !this.#isStopped && this.results.every(({ outcome }) => outcome === 'passed' || outcome === 'not run');
  }

  /**
   * @param {readonly (readonly Stage[])[]} lanes
   * @returns {Promise<void>} when all of them are over
   */
  async run(...lanes) {
    await Promise.all(lanes.map((stages) => this.#runLane(stages)));
  }

  /** @param {readonly Stage[]} stages */
  async #runLane(stages) {
    for (const stage of stages) {
      if (this.#isStopped) return;
      const result = await this.#runStage(stage);
      this.results.push(result);
      // Printed as a whole when the stage is over: the interleaved output of two would be unreadable.
      process.stdout.write(`${result.output}${result.outcome}: ${result.name} (${result.seconds.toFixed(1)} s)\n`);
      if (result.outcome === 'FAILED' && this.#stopsAtFailure) this.#stop();
    }
  }

  /**
   * @param {Stage} stage
   * @returns {Promise<Result>}
   */
  #runStage({ name, command: [program = '', ...words], mayNotRun }) {
    const startedAt = performance.now();
    // A process group of its own, so that a stop reaches the command's children.
    const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    this.#running.add(child);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (/** @type {string} */ text) => (output += text));
    }
    return new Promise((resolve) => {
      child.on('error', (error) => (output += `${error.message}\n`));
      child.on('close', (code) => {
        this.#running.delete(child);
        const ended = code === 0 ? 'passed' : mayNotRun && code === NOT_RUN ? 'not run' : 'FAILED';
        const outcome = ended === 'FAILED' && this.#isStopped ? 'stopped' : ended;
        resolve({ name, outcome, seconds: (performance.now() - startedAt) / 1000, output });
      });
    });
  }

  #stop() {
    this.#isStopped = true;
    this.#signal('SIGTERM');
    setTimeout(() => this.#signal('SIGKILL'), KILL_AFTER_MS).unref();
  }

  /** @param {NodeJS.Signals} signal */
  #signal(signal) {
    for (const { pid } of this.#running) {
      try {
        if (pid !== undefined) process.kill(-pid, signal);
      } catch {
        // The process has just ended.
      }
    }
  }
}
