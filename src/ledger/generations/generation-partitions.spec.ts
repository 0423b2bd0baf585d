// A month is made once, however many callers need it; old months are dropped oldest first and without gaps; an outage
// is logged once and passes. A scripted repository records its calls; fake timers pass the hour.
import { Logger } from '@nestjs/common';
import { HOUR_MS } from '../../core/time.js';
import type { Environment } from '../../shared/environment.js';
import type {
  DropOutcome,
  GenerationPartitionsRepository,
  KeptMonth,
  MissingIndex,
} from './generation-partitions.repository.js';
import { GenerationPartitions } from './generation-partitions.js';

const month = (text: string): Date => new Date(`${text}-01T00:00:00.000Z`);
const AHEAD = ['2026-11', '2026-12', '2027-01'].map(month);
const OUTAGE = Object.assign(new Error('no way'), { code: 'ECONNREFUSED' });

class ScriptedMonths {
  readonly requests: string[] = [];
  past: KeptMonth[] = [];
  missing: MissingIndex[] = [];
  outcomes: Record<string, DropOutcome> = {};
  failure: Error | undefined;
  gate: Promise<void> = Promise.resolve();

  async make(at: Date): Promise<void> {
    await this.answer(`make ${at.toISOString()}`);
  }
  async makeAhead(): Promise<readonly Date[]> {
    await this.answer('ahead');
    return AHEAD;
  }
  async listPast(days: object): Promise<readonly KeptMonth[]> {
    await this.answer(`past ${JSON.stringify(days)}`);
    return this.past;
  }
  async drop({ table, first }: KeptMonth): Promise<DropOutcome> {
    const name = `${table} ${first.toISOString().slice(0, 7)}`;
    await this.answer(`drop ${name}`);
    return this.outcomes[name] ?? 'dropped';
  }
  async listMissingIndexes(): Promise<readonly MissingIndex[]> {
    return this.missing;
  }
  async buildIndex({ child }: MissingIndex): Promise<boolean> {
    await this.answer(`build ${child}`);
    return true;
  }
  private async answer(question: string): Promise<void> {
    this.requests.push(question);
    await this.gate;
    if (this.failure) throw this.failure;
  }
}

let scripted: ScriptedMonths;
const warned = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
const failed = jest.spyOn(Logger.prototype, 'error').mockImplementation();
jest.spyOn(Logger.prototype, 'log').mockImplementation();

function monthsKept(days: { generations: number | null; ledgerEntries: number | null }): GenerationPartitions {
  const environment = { retentionDays: { ...days, audit: null } } as Environment;
  return new GenerationPartitions(scripted as unknown as GenerationPartitionsRepository, environment);
}

beforeEach(() => {
  scripted = new ScriptedMonths();
  jest.useFakeTimers();
  jest.clearAllMocks();
});
afterEach(() => jest.useRealTimers());

describe('a month', () => {
  it('is made at the first call and known from then on, by any time in it', async () => {
    const months = monthsKept({ generations: null, ledgerEntries: null });
    expect(months.isReady(Date.UTC(2026, 10, 30, 23, 59))).toBe(false);
    await months.ensure(new Date('2026-11-30T23:59:59.999Z'));
    expect(months.isReady(Date.UTC(2026, 10, 1))).toBe(true);
    expect(months.isReady(new Date('2026-12-01T00:00:00.000Z'))).toBe(false);
    expect(months.isReady(new Date('2025-11-15T00:00:00.000Z'))).toBe(false);
    await months.ensure(month('2026-11'));
    expect(scripted.requests).toEqual(['make 2026-11-30T23:59:59.999Z']);
  });

  it('is made once for concurrent callers; other months do not wait for it', async () => {
    const months = monthsKept({ generations: null, ledgerEntries: null });
    await Promise.all([months.ensure(AHEAD[0]!), months.ensure(AHEAD[0]!), months.ensure(AHEAD[1]!)]);
    expect(scripted.requests).toEqual(['make 2026-11-01T00:00:00.000Z', 'make 2026-12-01T00:00:00.000Z']);
  });

  it('that could not be made fails all waiting callers, and is tried again by the next one', async () => {
    const months = monthsKept({ generations: null, ledgerEntries: null });
    scripted.failure = OUTAGE;
    const both = await Promise.allSettled([months.ensure(AHEAD[0]!), months.ensure(AHEAD[0]!)]);
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(months.isReady(AHEAD[0]!)).toBe(false);
    scripted.failure = undefined;
    await months.ensure(AHEAD[0]!);
    expect(months.isReady(AHEAD[0]!)).toBe(true);
    expect(scripted.requests).toHaveLength(2);
  });
});

describe('the keeper', () => {
  it('makes months ahead before the application starts, and every hour until it stops', async () => {
    const months = monthsKept({ generations: null, ledgerEntries: null });
    await months.onModuleInit();
    expect(AHEAD.every((first) => months.isReady(first))).toBe(true);
    await jest.advanceTimersByTimeAsync(0);
    scripted.requests.length = 0;
    await jest.advanceTimersByTimeAsync(2 * HOUR_MS);
    expect(scripted.requests).toEqual(['ahead', 'ahead']);
    await months.beforeApplicationShutdown();
    await jest.advanceTimersByTimeAsync(2 * HOUR_MS);
    expect(scripted.requests).toHaveLength(2);
  });

  it('relies on no older month for longer than an hour, because a replica may have dropped it', async () => {
    const months = monthsKept({ generations: null, ledgerEntries: null });
    await months.ensure(month('2026-10'));
    await months.keep();
    expect(months.isReady(month('2026-10'))).toBe(false);
  });

  it('drops nothing that is kept for ever', async () => {
    await monthsKept({ generations: null, ledgerEntries: null }).keep();
    expect(scripted.requests).toEqual(['ahead']);
  });

  it('drops the months of each table oldest first, and none after one that must stay', async () => {
    scripted.past = ['2025-01', '2025-02', '2025-03'].flatMap((text) => [
      { table: 'generations' as const, first: month(text) },
      { table: 'ledger_entries' as const, first: month(text) },
    ]);
    scripted.outcomes = { 'generations 2025-01': 'gone', 'ledger_entries 2025-02': 'held' };
    await monthsKept({ generations: 30, ledgerEntries: 400 }).keep();
    expect(scripted.requests.slice(1)).toEqual([
      'past {"generations":30,"ledger_entries":400}',
      'drop generations 2025-01',
      'drop ledger_entries 2025-01',
      'drop generations 2025-02',
      'drop ledger_entries 2025-02',
      'drop generations 2025-03',
    ]);
    expect(warned).toHaveBeenCalledTimes(1);
    expect(warned.mock.calls[0]![0]).toContain('ledger_entries of 2025-02');
  });

  it('never runs twice at the same time', async () => {
    const months = monthsKept({ generations: null, ledgerEntries: null });
    await Promise.all([months.keep(), months.keep()]);
    expect(scripted.requests).toEqual(['ahead']);
  });

  it('logs an outage once, another error each time, and continues after both', async () => {
    const months = monthsKept({ generations: null, ledgerEntries: 400 });
    scripted.failure = OUTAGE;
    await months.onModuleInit();
    await months.keep();
    expect([warned.mock.calls.length, failed.mock.calls.length]).toEqual([1, 0]);
    scripted.failure = new Error('permission denied');
    await jest.advanceTimersByTimeAsync(2 * HOUR_MS);
    expect([warned.mock.calls.length, failed.mock.calls.length]).toEqual([1, 2]);
    scripted.failure = undefined;
    await jest.advanceTimersByTimeAsync(HOUR_MS);
    expect(months.isReady(AHEAD[2]!)).toBe(true);
  });

  it('finishes what is under way before the process ends', async () => {
    const months = monthsKept({ generations: null, ledgerEntries: 400 });
    let open = (): void => undefined;
    scripted.gate = new Promise((resolve) => (open = resolve));
    void months.keep();
    const ended = months.beforeApplicationShutdown();
    open();
    await ended;
    expect(scripted.requests).toEqual(['ahead', 'past {"generations":null,"ledger_entries":400}']);
  });
});
