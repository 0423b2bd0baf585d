// Connections are passed on at once while few arrive; of thousands some in each turn, every other the newest, the
// oldest in order, none twice and none lost. Sockets that record when they flow, turns one by one.
import { setImmediate } from 'node:timers/promises';
import type { Socket } from 'node:net';
import { ConnectionQueue } from './connection-queue.js';

const PER_TURN = 32;

describe('ConnectionQueue', () => {
  const given: number[] = [];
  const flowing: number[] = [];
  let queue: ConnectionQueue;
  beforeEach(() => {
    given.length = flowing.length = 0;
    queue = new ConnectionQueue({
      emit: (event: string, socket: { readonly name: number }) => {
        expect(event).toBe('connection');
        // The reader gets the socket before it flows.
        expect(flowing).not.toContain(socket.name);
        return given.push(socket.name) > 0;
      },
    } as never);
  });

  const come = (from: number, count: number): void => {
    for (let name = from; name < from + count; name++)
      queue.add({ name, resume: () => flowing.push(name) } as unknown as Socket);
  };

  it('passes on at once while few arrive', async () => {
    for (let turn = 0; turn < 5; turn++) {
      come(turn * PER_TURN, PER_TURN);
      expect(given).toHaveLength((turn + 1) * PER_TURN);
      await setImmediate();
    }
    expect(flowing).toEqual(given);
  });

  it('passes on some in each turn where many arrive, every other the newest, and all of them', async () => {
    come(0, 2_000);
    expect(given).toEqual(Array.from({ length: PER_TURN }, (_, name) => name));
    await setImmediate();
    expect(given.slice(PER_TURN, PER_TURN + 4)).toEqual([1_999, PER_TURN, 1_998, PER_TURN + 1]);
    for (let turn = 0; turn < 2_000 / PER_TURN; turn++) {
      const before = given.length;
      await setImmediate();
      expect(given.length - before).toBeLessThanOrEqual(PER_TURN);
    }
    expect(given.toSorted((one, other) => one - other)).toEqual(Array.from({ length: 2_000 }, (_, name) => name));
    expect(flowing).toEqual(given);
  });

  it('passes on a late connection in the next turn, however many wait', async () => {
    come(0, 5_000);
    await setImmediate();
    come(9_000, 1);
    await setImmediate();
    expect(given).toContain(9_000);
    expect(given.length).toBeLessThanOrEqual(3 * PER_TURN);
  });
});
