// A generation whose client disconnected counts at any stage, a failed one if a provider was called, an answered one
// never. The generations end in every way, with a call and without.
import type { Caller } from '../core/caller.js';
import { ENDINGS, type Ending } from '../core/generation/ending.js';
import type { Generation } from '../core/generation/generation.js';
import type { Environment } from '../shared/environment.js';
import type { FloodStorage } from './flood-storage.js';
import { WastedCalls } from './wasted-calls.js';

const RATE = { limit: 3, windowMs: 60_000 };
const ALL = Object.keys(ENDINGS) as Ending[];

function isCounted(ending: Ending, wasCalled: boolean): boolean {
  const counted: unknown[] = [];
  const counts = { countWaste: (...waste: unknown[]) => void counted.push(waste) } as unknown as FloodStorage;
  const caller = { keyHash: 'k' } as Caller;
  new WastedCalls(counts, { flood: { wasted: RATE } } as Environment).ended({
    ending,
    wasCalled,
    hasCosts: wasCalled,
    toolUses: [],
    calls: [],
    caller,
  } as unknown as Generation);
  if (counted.length > 0) expect(counted).toEqual([[caller, RATE, 1]]);
  return counted.length > 0;
}

it('counts every wasted ending of a generation that called a provider, refusals of our own after costs, and no other', () => {
  for (const ending of ALL) {
    const { wastes = false, refusesRequest = false } = ENDINGS[ending];
    expect([ending, isCounted(ending, true)]).toEqual([ending, wastes || refusesRequest]);
  }
  expect((['forbidden', 'payment-required', 'reply-refused', 'internal', 'completed'] as const).map((ending) => isCounted(ending, true))).toEqual([true, true, true, false, false]);
}); // oxfmt-ignore

it('counts paid engine calls without a result, however the generation ended', () => {
  const counted: unknown[] = [];
  const counts = { countWaste: (...waste: unknown[]) => void counted.push(waste) } as unknown as FloodStorage;
  const calls = new WastedCalls(counts, { flood: { wasted: RATE } } as Environment);
  for (const ending of ['completed', 'unavailable'] as const)
    calls.ended({
      ending,
      toolUses: [{}],
      calls: [],
      hasLosses: true,
      caller: { keyHash: 'k' },
    } as unknown as Generation);
  expect(counted).toHaveLength(2);
});

it('counts each request of the call that was most of them, and not the further calls of a loop', () => {
  const counted: unknown[] = [];
  const counts = { countWaste: (...[, , times]: unknown[]) => void counted.push(times) } as unknown as FloodStorage;
  const calls = new WastedCalls(counts, { flood: { wasted: RATE } } as Environment);
  for (const requests of [[0], [1], [1, 1, 1], [1, 22, 3]])
    calls.ended({
      ending: 'provider-rejected-request',
      wasCalled: true,
      toolUses: [],
      calls: requests.map((answeredRequests) => ({ answeredRequests })),
      caller: { keyHash: 'k' },
    } as unknown as Generation);
  expect(counted).toEqual([1, 1, 1, 22]);
});

it('counts calls whose bodies never arrived whole, and none of management', () => {
  const counted: unknown[] = [];
  const counts = { countWaste: ({ keyHash }: Caller) => void counted.push(keyHash) } as unknown as FloodStorage;
  const calls = new WastedCalls(counts, { flood: { wasted: RATE } } as Environment);
  calls.bodyAbandoned({ keyHash: 'i', kind: 'inference' } as Caller);
  calls.bodyAbandoned({ keyHash: 'm', kind: 'management' } as Caller);
  expect(counted).toEqual(['i']);
});

it('counts, of generations without a call, those that their callers left', () => {
  expect(ALL.filter((ending) => isCounted(ending, false)).sort()).toEqual(['caller-gone', 'client-closed']);
});
