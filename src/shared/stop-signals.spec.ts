// A request to stop counts once, a later one forces the stop, and no request counts twice. An emitter
// instead of the process and a channel in memory.
import { EventEmitter } from 'node:events';
import { listenForStop } from './stop-signals.js';
import type { PrimaryMessage } from './worker-channel.js';

function listen({ asWorker }: { asWorker: boolean }) {
  const signals = new EventEmitter();
  const received: string[] = [];
  let fromPrimary: (message: PrimaryMessage) => void = () => undefined;
  let time = 1;
  listenForStop({
    signals,
    now: () => time,
    stop: (signal) => received.push(signal),
    stopNow: () => received.push('now'),
    ...(asWorker && { channel: { send: () => undefined, listen: (listener) => (fromPrimary = listener) } }),
  });
  const later = (ms: number): void => void (time += ms);
  return { signals, received, later, fromPrimary: (message: PrimaryMessage) => fromPrimary(message) };
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
    const { signals, received, later } = listen({ asWorker: false });
    for (const signal of sent) {
      signals.emit(signal);
      later(2001);
    }
    expect(received).toEqual(expected);
  });

  it('a signal that npm passes on after the group received it is the same request', () => {
    const { signals, received, later } = listen({ asWorker: false });
    signals.emit('SIGTERM');
    later(2000);
    signals.emit('SIGTERM');
    expect(received).toEqual(['SIGTERM']);
    later(1);
    signals.emit('SIGTERM');
    expect(received).toEqual(['SIGTERM', 'now']);
  });

  it('in a worker, a signal and the message of the primary are one request', () => {
    const { signals, received, later, fromPrimary } = listen({ asWorker: true });
    fromPrimary({ fairlead: 'metrics-expect', ask: 0, count: 0 });
    signals.emit('SIGINT');
    later(2001);
    fromPrimary({ fairlead: 'stop', signal: 'SIGINT' });
    signals.emit('SIGTERM');
    expect(received).toEqual(['SIGINT']);
  });
});
