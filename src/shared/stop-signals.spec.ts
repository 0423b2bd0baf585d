// Goal: one wish to stop is heard once, a second one insists, and a worker never takes one wish for two.
// Method: an emitter in place of the process and a channel in memory.
import { EventEmitter } from 'node:events';
import { listenForStop } from './stop-signals.js';
import type { PrimaryMessage } from './worker-channel.js';

function listen({ asWorker }: { asWorker: boolean }) {
  const signals = new EventEmitter();
  const heard: string[] = [];
  let fromPrimary: (message: PrimaryMessage) => void = () => undefined;
  listenForStop({
    signals,
    stop: (signal) => heard.push(signal),
    stopNow: () => heard.push('now'),
    ...(asWorker && { channel: { send: () => undefined, listen: (listener) => (fromPrimary = listener) } }),
  });
  return { signals, heard, fromPrimary: (message: PrimaryMessage) => fromPrimary(message) };
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
    const { signals, heard } = listen({ asWorker: false });
    for (const signal of sent) signals.emit(signal);
    expect(heard).toEqual(expected);
  });

  it('in a worker, a signal and the word of the primary are one wish', () => {
    const { signals, heard, fromPrimary } = listen({ asWorker: true });
    fromPrimary({ fairlead: 'metrics-expect', ask: 0, count: 0 });
    signals.emit('SIGINT');
    fromPrimary({ fairlead: 'stop', signal: 'SIGINT' });
    signals.emit('SIGTERM');
    expect(heard).toEqual(['SIGINT']);
  });
});
