/**
 * Goal: memory goes back to the system once nothing is served, and no request waits for a collection that nobody needs.
 * Method: a heap of figures, looked at by hand; once the engine's own.
 */
import { engineHeap, IdleCollection } from './idle-collection.js';

const MIB = 1024 * 1024;

/** @param oldMiB that objects have before a collection; after one, 50 are left */
function heapOf(oldMiB: number) {
  const state = { utilization: 0, oldBytes: oldMiB * MIB, collections: 0 };
  const collect = (): void => {
    state.collections++;
    state.oldBytes = 50 * MIB;
  };
  const heap = { utilization: () => state.utilization, oldBytes: () => state.oldBytes, collect };
  const collection = new IdleCollection(heap);
  const look = (times: number): number => {
    for (let count = 0; count < times; count++) collection.look();
    return state.collections;
  };
  return { state, look };
}

it('collects twice after three idle seconds, and then no more', () => {
  const { look } = heapOf(90);
  expect([look(2), look(1), look(1), look(60)]).toEqual([0, 1, 2, 2]);
});

it('begins again when as much has grown once more', () => {
  const { state, look } = heapOf(90);
  look(10);
  state.oldBytes = 57 * MIB;
  expect(look(10)).toBe(2);
  state.oldBytes = 58 * MIB;
  expect(look(10)).toBe(4);
});

it('does not collect while requests are served, or between two of them', () => {
  const { state, look } = heapOf(200);
  state.utilization = 0.03;
  expect(look(10)).toBe(0);
  for (let second = 0; second < 10; second++) {
    state.utilization = second % 3 === 0 ? 0.1 : 0;
    expect(look(1)).toBe(0);
  }
});

it('waits with the second collection for the next idle time where work has begun', () => {
  const { state, look } = heapOf(90);
  look(3);
  state.utilization = 0.5;
  expect(look(5)).toBe(1);
  state.utilization = 0;
  expect(look(10)).toBe(2);
});

it('collects what the engine itself would leave', async () => {
  const collection = new IdleCollection({ ...engineHeap(), utilization: () => 0 });
  const reference = new WeakRef({ bytes: new Array(2 * MIB).fill(1) });
  // What a weak reference was made of stays until the end of the turn.
  await new Promise((resolve) => setTimeout(resolve, 0));
  for (let second = 0; second < 4; second++) collection.look();
  expect(reference.deref() === undefined).toBe(true);
});
