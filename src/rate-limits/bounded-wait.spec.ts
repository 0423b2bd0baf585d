// An answer that has arrived is never taken for silence, however long the process was delayed; real silence ends the
// wait. Uses a real socket whose other end answers at once, and an event loop that is blocked past the wait.
import { once } from 'node:events';
import { createServer, connect, type AddressInfo, type Server, type Socket } from 'node:net';
import { boundedWait, Unanswered } from './bounded-wait.js';

const WAIT_MS = 20;

/** How waits ended, in order. */
const ends: string[] = [];
const observer = { answered: () => void ends.push('answered'), failed: () => void ends.push('failed') };

/** Blocks the event loop for so long. */
const blockLoop = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

describe('boundedWait', () => {
  let server: Server;
  let socket: Socket;
  let peer: Socket;
  beforeEach(async () => {
    ends.length = 0;
    server = createServer((accepted) => (peer = accepted)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const accepting = once(server, 'connection');
    socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    await Promise.all([accepting, once(socket, 'connect')]);
  });
  afterEach(() => {
    socket.destroy();
    peer.destroy();
    server.close();
  });

  it('accepts what arrived while the process was delayed', async () => {
    const answer = once(socket, 'data');
    peer.write('here');
    const waited = boundedWait(answer, WAIT_MS, observer);
    blockLoop(3 * WAIT_MS);
    expect(String(await waited)).toBe('here');
  });

  it('waits once more after that, and no more than once', async () => {
    jest.useFakeTimers();
    let nowMs = 0;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
    const waited = boundedWait(new Promise<never>(() => undefined), WAIT_MS, observer);
    const ended = expect(waited).rejects.toBeInstanceOf(Unanswered);
    const expired: string[][] = [];
    for (let wait = 0; wait < 2; wait++) {
      nowMs += 3 * WAIT_MS;
      jest.advanceTimersByTime(WAIT_MS);
      jest.advanceTimersByTime(1);
      expired.push([...ends]);
    }
    clock.mockRestore();
    jest.useRealTimers();
    await ended;
    expect(expired).toEqual([[], ['failed']]);
  });

  it('ends in silence, and otherwise as the answer does', async () => {
    await expect(boundedWait(new Promise(() => undefined), WAIT_MS, observer)).rejects.toBeInstanceOf(Unanswered);
    await expect(boundedWait(Promise.reject(new Error('broken')), WAIT_MS, observer)).rejects.toThrow('broken');
    expect(await boundedWait(Promise.resolve(7), WAIT_MS, observer)).toBe(7);
    expect(ends).toEqual(['failed', 'failed', 'answered']);
  });
});
