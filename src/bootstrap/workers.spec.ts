// The primary keeps its workers alive without restarting too often, ends with them, and reports a failed start. Workers
// that are emitters, timers and clock moved by hand.
import { EventEmitter } from 'node:events';
import { Clock } from '../core/time.js';
import type { PrimaryMessage, WorkerMessage } from '../shared/worker-channel.js';
import { WorkerProcesses, type PoolWorker } from './workers.js';

jest.useFakeTimers();

class JestClock extends Clock {
  override now(): number {
    return Date.now();
  }
}

class FakeWorker extends EventEmitter {
  readonly received: PrimaryMessage[] = [];
  readonly killedBy: unknown[] = [];
  connected = true;
  readonly process = {
    kill: (signal?: unknown): boolean => {
      this.killedBy.push(signal);
      return true;
    },
  };

  constructor(readonly id: number) {
    super();
  }

  isConnected(): boolean {
    return this.connected;
  }

  send(message: PrimaryMessage): boolean {
    this.received.push(message);
    return true;
  }

  sends(message: WorkerMessage): void {
    this.emit('message', message);
  }
}

type Wanted = Extract<PrimaryMessage, { readonly fairlead: 'readiness-wanted' }>;

function startPool(count: number) {
  const workers: FakeWorker[] = [];
  const exits: number[] = [];
  const log: string[] = [];
  const write = (message: unknown): void => void log.push(String(message));
  const pool = new WorkerProcesses({
    count,
    fork: () => {
      const worker = new FakeWorker(workers.length + 1);
      workers.push(worker);
      return worker as unknown as PoolWorker;
    },
    exit: (code) => exits.push(code),
    log: { log: write, warn: write, error: write },
    clock: new JestClock(),
    stopMsMax: 1000,
  });
  pool.start();
  return { pool, workers, exits, log };
}

describe('WorkerProcesses', () => {
  it('starts the requested number of workers', () => {
    expect(startPool(3).workers).toHaveLength(3);
  });

  it('is ready while one of its workers is, and not once it is stopping', async () => {
    const { pool, workers } = startPool(3);
    const readiness = async (...states: boolean[]): Promise<unknown> => {
      const pending = pool.readiness();
      for (const [index, ready] of states.entries()) {
        const { ask } = workers[index]!.received.findLast(({ fairlead }) => fairlead === 'readiness-wanted') as Wanted;
        workers[index]!.sends({ fairlead: 'readiness-answer', ask, ready });
      }
      jest.advanceTimersByTime(1000);
      const { ready, checks } = await pending;
      return [ready, checks['workers']!.detail];
    };
    expect(await readiness(true, false, true)).toEqual([true, '2 of 3 are ready']);
    // A worker that hangs is not ready.
    expect(await readiness(true, true)).toEqual([true, '2 of 3 are ready']);
    expect(await readiness(false, false, false)).toEqual([false, '0 of 3 are ready']);
    pool.stop('SIGTERM');
    expect(await readiness(true, true, true)).toEqual([false, 'shutting down']);
  });

  it('restarts a crashed worker after a pause that doubles from 100 ms to 10 s', () => {
    const { workers, exits } = startPool(1);
    workers[0]!.emit('listening');
    for (const pauseMs of [100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000]) {
      const before = workers.length;
      workers.at(-1)!.emit('exit', 1);
      jest.advanceTimersByTime(pauseMs - 1);
      expect(workers).toHaveLength(before);
      jest.advanceTimersByTime(1);
      expect(workers).toHaveLength(before + 1);
    }
    expect(exits).toEqual([]);
  });

  it('begins with the short pause again after a worker that had run for half a minute', () => {
    const { workers } = startPool(1);
    workers[0]!.emit('listening');
    workers[0]!.emit('exit', 1);
    jest.advanceTimersByTime(100);
    jest.advanceTimersByTime(30_000);
    workers[1]!.emit('exit', null);
    jest.advanceTimersByTime(100);
    expect(workers).toHaveLength(3);
  });

  it.each([
    [1, 1],
    [7, 7],
    [0, 1],
    [null, 1],
  ])('ends with the code of a worker that ended with %p before any listened: %i', (code, expected) => {
    const { workers, exits } = startPool(2);
    workers[0]!.emit('exit', code);
    expect(exits).toEqual([expected]);
    expect(workers[1]!.killedBy).toEqual(['SIGKILL']);
    jest.advanceTimersByTime(60_000);
    expect(workers).toHaveLength(2);
  });

  it('forwards the request to stop, restarts no worker, and ends after the last one', () => {
    const { pool, workers, exits } = startPool(3);
    workers[0]!.emit('listening');
    workers[2]!.emit('exit', 1);
    pool.stop('SIGTERM');
    expect(workers[0]!.received).toEqual([{ fairlead: 'stop', signal: 'SIGTERM' }]);
    workers[0]!.emit('exit', 0);
    expect(exits).toEqual([]);
    workers[1]!.emit('exit', 0);
    expect(exits).toEqual([0]);
    expect(workers).toHaveLength(3);
  });

  it('exits with 1 when a worker did not stop cleanly', () => {
    const { pool, workers, exits } = startPool(1);
    pool.stop('SIGTERM');
    workers[0]!.emit('exit', 3);
    expect(exits).toEqual([1]);
  });

  it('kills workers that do not stop in time', () => {
    const { pool, workers, exits } = startPool(1);
    pool.stop('SIGTERM');
    jest.advanceTimersByTime(999);
    expect(workers[0]!.killedBy).toEqual([]);
    jest.advanceTimersByTime(1);
    expect([workers[0]!.killedBy, exits]).toEqual([['SIGKILL'], [1]]);
  });

  it('relays questions for metrics to the other connected workers, and answers to the worker that sent the question', () => {
    const { workers } = startPool(4);
    workers[3]!.connected = false;
    workers[0]!.sends({ fairlead: 'metrics-ask', ask: 5 });
    expect(workers[1]!.received).toEqual([{ fairlead: 'metrics-wanted', asker: 1, ask: 5 }]);
    expect(workers[3]!.received).toEqual([]);
    expect(workers[0]!.received).toEqual([{ fairlead: 'metrics-expect', ask: 5, count: 2 }]);
    workers[1]!.sends({ fairlead: 'metrics-answer', asker: 1, ask: 5, report: [] });
    workers[1]!.sends({ fairlead: 'metrics-answer', asker: 99, ask: 5, report: [] });
    expect(workers[0]!.received.at(-1)).toEqual({ fairlead: 'metrics-given', ask: 5, report: [] });
    expect(workers[0]!.received).toHaveLength(2);
  });

  it('ignores foreign messages', () => {
    const { workers } = startPool(2);
    for (const message of [null, 'x', 5, {}, { type: 'prom-client:getMetricsRes' }])
      workers[0]!.emit('message', message);
    expect(workers[1]!.received).toEqual([]);
  });
});
