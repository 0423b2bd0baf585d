// A request to stop counts once, a second one forces the stop, and a worker never counts one request twice. An emitter
// in place of the process and a channel in memory.
import { EventEmitter } from 'node:events';
import { listenForStop } from './stop-signals.js';
import type { PrimaryMessage } from './worker-channel.js';

function listen({ asWorker }: { asWorker: boolean }) {
  const signals = new EventEmitter();
  const received: string[] = [];
  let fromPrimary: (message: PrimaryMessage) => void = () => undefined;
  listenForStop({
    signals,
    stop: (signal) => received.push(signal),
    stopNow: () => received.push('now'),
    ...(asWorker && { channel: { send: () => undefined, listen: (listener) => (fromPrimary = listener) } }),
  });
  return { signals, received, fromPrimary: (message: PrimaryMessage) => fromPrimary(message) };
}

describe('listenForStop', () => {
  it.each([
    [['SIGTERM'], ['SIGTERM']],
    [['SIGINT'], ['SIGINT']],
    [
      ['SIGTERM', 'SIGTERM'],
      ['SIGTERM', 'now'],
    ],
    [
      ['SIGTERM', 'SIGINT'],
      ['SIGTERM', 'now'],
    ],
    [
      ['SIGINT', 'SIGINT'],
      ['SIGINT', 'now'],
    ],
  ])('alone, %j means %j', (sent, expected) => {
    const { signals, received } = listen({ asWorker: false });
    for (const signal of sent) signals.emit(signal);
    expect(received).toEqual(expected);
  });

  it('in a worker, a signal and the message of the primary are one request', () => {
    const { signals, received, fromPrimary } = listen({ asWorker: true });
    fromPrimary({ fairlead: 'metrics-expect', ask: 0, count: 0 });
    signals.emit('SIGINT');
    fromPrimary({ fairlead: 'stop', signal: 'SIGINT' });
    signals.emit('SIGTERM');
    expect(received).toEqual(['SIGINT']);
  });
});
