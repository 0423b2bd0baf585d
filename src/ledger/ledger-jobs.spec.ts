/**
 * What a heartbeat could not bring into the database is written again, and its notes stay. The jobs run on doubles of
 * the ledger and of its statements; the test starts each round.
 */
import { Logger } from '@nestjs/common';
import type { Environment } from '../shared/environment.js';
import type { Metrics } from '../shared/telemetry/metrics.js';
import { NOTHING_OBSERVED } from './generations/generation-row.js';
import type { HoldNotes } from './hold-notes.js';
import { LedgerJobs } from './ledger-jobs.js';
import type { LedgerRepository } from './ledger.repository.js';
import type { LedgerService } from './ledger.service.js';
import type { Postings } from './postings.js';
import type { PriceVersions } from './price-versions.js';
import type { Settlement } from './settlement.js';

const rowOf = (id: string, cost: string): Settlement => ({ ...NOTHING_OBSERVED, id, cost }) as unknown as Settlement;

let beats: string[][];
let refused: Error | undefined;
let emptied: number;
let pendingNote: Map<string, Settlement>;
let givenUp: string[];
let jobs: LedgerJobs;
beforeEach(() => {
  [beats, refused, emptied, pendingNote, givenUp] = [[], undefined, 0, new Map(), []];
  const repository = {
    writeHeartbeat: async (_replica: string, rows: readonly (readonly [string, string])[]) => {
      beats.push(rows.map(([id, row]) => `${id} ${(JSON.parse(row) as Settlement).cost}`));
      if (rows.length > 0 && refused) throw refused;
      return 'one epoch';
    },
    completeEpoch: async () => undefined,
    restore: async () => 0,
    listOpen: async () => ({ ids: [], at: new Date() }),
    recover: async () => [],
    listUnposted: async () => [],
    forgetReplicas: async () => undefined,
    removeIdleCounters: async () => 0,
    forgetCounters: async () => 0,
  } as unknown as LedgerRepository;
  const open = [{ id: 'open', heldAt: new Date().toISOString(), observe: () => rowOf('open', '1') }];
  const ledger = {
    replica: 'this one',
    openHolds: open,
    waiting: 0,
    spool: { adopt: async () => 0 },
    reopenSpool: async () => undefined,
    listAwaited: () => new Set(['open', ...givenUp]),
    listGivenUp: () => givenUp,
  } as unknown as LedgerService;
  const notes = {
    switchFiles: () => () => {
      emptied++;
      pendingNote.clear();
    },
    pendingNote: (id: string) => pendingNote.get(id),
  } as unknown as HoldNotes;
  const postings = { flush: async () => undefined, add: () => undefined } as unknown as Postings;
  const prices = { flush: async () => undefined } as unknown as PriceVersions;
  jobs = new LedgerJobs(ledger, repository, postings, notes, prices, {} as Environment, {} as Metrics);
});
afterEach(() => jest.restoreAllMocks());

it('writes a changed state once, and then releases its notes', async () => {
  await jobs.runAll();
  await jobs.runAll();
  expect([beats, emptied]).toEqual([[['open 1'], []], 2]);
});

it('writes a refused state again, and keeps its notes until it is accepted', async () => {
  jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
  refused = Object.assign(new Error('not a number'), { code: '22P02' });
  await jobs.runAll();
  expect([beats, emptied]).toEqual([[['open 1'], []], 0]);
  refused = undefined;
  await jobs.runAll();
  expect([beats.at(-1), emptied]).toEqual([['open 1'], 1]);
});

it('writes the notes of given-up holds, once', async () => {
  givenUp = ['given up', 'nothing known'];
  pendingNote.set('given up', rowOf('given up', '7')).set('settled', rowOf('settled', '9'));
  await jobs.runAll();
  await jobs.runAll();
  expect(beats).toEqual([['open 1', 'given up 7'], []]);
});
