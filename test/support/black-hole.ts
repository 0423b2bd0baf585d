import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';

/** Listens, and sleeps for ever: a client beyond the accept queue gets no answer to its first packet. */
const SLEEPER = `
const { createServer } = require('node:net');
const { parentPort, workerData } = require('node:worker_threads');
const server = createServer().listen({ ...workerData, backlog: 1 }, () => {
  parentPort.postMessage(server.address());
  setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0));
});
`;
/** More than the queue holds. */
const FILLING = 5;

/** An address where connections are neither accepted nor refused. */
export class BlackHole {
  private constructor(
    private readonly worker: Worker,
    private readonly filling: readonly Socket[],
    readonly port: number,
  ) {}

  static async open(host: string, port = 0): Promise<BlackHole> {
    const worker = new Worker(SLEEPER, { eval: true, workerData: { host, port } });
    const [address] = (await once(worker, 'message')) as [AddressInfo];
    const filling = Array.from({ length: FILLING }, () => connect(address.port, host).on('error', () => undefined));
    // The second of two later connections never fits into the queue.
    await once(filling[0]!, 'connect');
    return new BlackHole(worker, filling, address.port);
  }

  async close(): Promise<void> {
    for (const socket of this.filling) socket.destroy();
    await this.worker.terminate();
  }
}
