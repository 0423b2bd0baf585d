/**
 * After any sequence of statements every counter of the ledger equals that of a simple model in memory, no grant and no
 * late charge ever exceeds a cap, and the verification finds nothing. Random sequences of holds, extensions,
 * settlements (repeated, recovered, corrected, late), releases, postings, credits, passing hours, and holds that the
 * database loses and that are written back, for two keys and two budgets of one account, on both databases; compared
 * after every step.
 */
import fc from 'fast-check';
import type { DataSource } from 'typeorm';
import { newGenerationId } from '../../src/core/ids.js';
import { formatUsd, parseUsd, PICO_PER_USD, type PicoUsd } from '../../src/core/money/credits.js';
import { HOUR_MS, INTERVALS, windowStart, type Interval } from '../../src/core/time.js';
import { verifyLedger } from '../../src/ledger/verify/verify-ledger.js';
import { describeOnEachDatabase } from '../support/database.js';
import { LedgerBench, type BenchCounters, type LedgerAccount, type Claim, type Settlement } from './ledger-bench.js';

const BUDGET = { seed: 20_261_121, numRuns: 30 } as const;
const STEPS_MIN = 15;
const STEPS_MAX = 25;
/**
 * Hours pass in steps of six from here on, so no step comes just before a window ends. A Friday: days, weeks and months
 * end soon.
 */
const BEGINNING = Date.parse('2027-12-31T12:00:00Z');

const CREDITS = '9';
const KEYS = [
  { limitUsd: '8', reset: 'daily', includesByok: true },
  { limitUsd: '12', reset: null, includesByok: false },
] as const;
const BUDGETS = [
  { interval: 'weekly', limitUsd: '8.5', includesByok: false },
  { interval: 'lifetime', limitUsd: '15', includesByok: true },
] as const;

interface Amounts {
  readonly credits: PicoUsd;
  readonly byok: PicoUsd;
}
type Step =
  | { readonly do: 'take'; readonly claims: readonly (Amounts & { readonly key: number })[] }
  | { readonly do: 'extend'; readonly index: number; readonly more: Amounts }
  | {
      readonly do: 'settle';
      readonly of: readonly { readonly index: number; readonly percent: bigint; readonly recovered: boolean }[];
      readonly times: number;
    }
  | { readonly do: 'release'; readonly index: number }
  | { readonly do: 'lose'; readonly index: number }
  | { readonly do: 'restore' }
  | { readonly do: 'post'; readonly of: readonly number[] | 'all' }
  | { readonly do: 'postCounter'; readonly of: 'account' | 'workspace' | number }
  | { readonly do: 'grant'; readonly amount: PicoUsd; readonly kind: 'grant' | 'purchase' | 'adjustment' }
  | { readonly do: 'wait'; readonly hours: number };

const index = fc.nat(40);
const credits = fc.oneof(
  { weight: 1, arbitrary: fc.constant(0n) },
  { weight: 5, arbitrary: fc.bigInt({ min: 1n, max: 4n * PICO_PER_USD }) },
);
const byok = fc.oneof(
  { weight: 3, arbitrary: fc.constant(0n) },
  { weight: 1, arbitrary: fc.bigInt({ min: 1n, max: 4n * PICO_PER_USD }) },
);
const amounts = fc.record({ credits, byok });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('take' as const),
      claims: fc.array(fc.record({ key: fc.nat(1), credits, byok }), { minLength: 1, maxLength: 3 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('extend' as const), index, more: amounts }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('settle' as const),
      of: fc.uniqueArray(fc.record({ index, percent: fc.bigInt({ min: 0n, max: 100n }), recovered: fc.boolean() }), {
        selector: (one) => one.index,
        minLength: 1,
        maxLength: 3,
      }),
      times: fc.integer({ min: 1, max: 2 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('release' as const), index }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('lose' as const), index }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('restore' as const) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('post' as const),
      of: fc.oneof(fc.constant('all' as const), fc.array(index, { minLength: 1, maxLength: 4 })),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('postCounter' as const),
      of: fc.constantFrom('account' as const, 'workspace' as const, 0, 1),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('grant' as const),
      amount: fc.bigInt({ min: 1n, max: 5n * PICO_PER_USD }),
      kind: fc.constantFrom('grant' as const, 'purchase' as const, 'adjustment' as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('wait' as const), hours: fc.constantFrom(6, 12, 24, 96) }) },
);

interface Counter {
  used: PicoUsd;
  held: PicoUsd;
  byokUsed: PicoUsd;
  byokHeld: PicoUsd;
}

/** A counter of a hold. */
interface CounterName {
  readonly scope: 'account' | 'key' | 'workspace';
  readonly id: string;
  readonly interval: Interval;
}

interface ModelHold {
  readonly id: string;
  readonly key: string;
  readonly heldAt: Date;
  readonly keyInterval: Interval;
  readonly budgets: readonly CounterName[];
  bound: Amounts;
  cost: Amounts | undefined;
}

interface ModelGeneration {
  cost: Amounts;
  readonly recovered: boolean;
  corrected: boolean;
}

interface ModelSettlement {
  /** As it was taken. */
  readonly hold: ModelHold;
  readonly cost: Amounts;
  readonly recovered: boolean;
}

const NOTHING: Amounts = { credits: 0n, byok: 0n };
const plus = (one: Amounts, other: Amounts): Amounts => ({
  credits: one.credits + other.credits,
  byok: one.byok + other.byok,
});
const minus = (one: Amounts, other: Amounts): Amounts => ({
  credits: one.credits - other.credits,
  byok: one.byok - other.byok,
});

const positive = (amount: PicoUsd): PicoUsd => (amount > 0n ? amount : 0n);
const inOrder = <T extends { readonly hold: ModelHold }>(items: readonly T[]): readonly T[] =>
  items.toSorted((one, other) => (one.hold.id < other.hold.id ? -1 : 1));

/** A simple model of one account's ledger. */
class LedgerModel {
  readonly counters = new Map<string, Counter>();
  readonly holds = new Map<string, ModelHold>();
  readonly generations = new Map<string, ModelGeneration>();
  limit = parseUsd(CREDITS)!;
  purchased = 0n;

  constructor(private readonly account: LedgerAccount) {}

  private counter({ scope, id, interval }: CounterName, at: Date): Counter {
    const name = `${scope} ${id} ${interval} ${windowStart(interval, at.getTime()).toISOString()}`;
    const counter = this.counters.get(name) ?? { used: 0n, held: 0n, byokUsed: 0n, byokHeld: 0n };
    this.counters.set(name, counter);
    return counter;
  }

  private readonly accountCounter = (): CounterName => ({
    scope: 'account',
    id: this.account.id,
    interval: 'lifetime',
  });
  readonly budgets = (): readonly CounterName[] =>
    BUDGETS.map(({ interval }) => ({ scope: 'workspace', id: this.account.workspaceId, interval }));

  private capOf({ scope, id, interval }: CounterName): { readonly cap: PicoUsd; readonly includesByok: boolean } {
    if (scope === 'account') return { cap: this.limit, includesByok: false };
    const { limitUsd, includesByok } =
      scope === 'key' ? KEYS[this.account.keys.indexOf(id)]! : BUDGETS.find((budget) => budget.interval === interval)!;
    return { cap: parseUsd(limitUsd)!, includesByok };
  }

  /**
   * Grants in order; the amount of a refused claim counts for the later ones of its batch.
   * @returns for each claim every counter that refuses it, by scope and interval; none when it is granted
   */
  take(claims: readonly ModelHold[]): readonly (readonly string[])[] {
    const requested = new Map<Counter, PicoUsd>();
    const granted: [ModelHold, readonly [CounterName, Counter][]][] = [];
    const answers = claims.map((claim) => {
      const names = [this.accountCounter(), { scope: 'key', id: claim.key, interval: claim.keyInterval } as const];
      const counters = [...names, ...claim.budgets].map((name): [CounterName, Counter] => [
        name,
        this.counter(name, claim.heldAt),
      ]);
      const refusals = counters.filter(([name, counter]) => {
        const { cap, includesByok } = this.capOf(name);
        const amount = claim.bound.credits + (includesByok ? claim.bound.byok : 0n);
        const before = (requested.get(counter) ?? 0n) + amount;
        requested.set(counter, before);
        const used = counter.used + (includesByok ? counter.byokUsed : 0n);
        const held = counter.held + (includesByok ? counter.byokHeld : 0n);
        return amount === 0n ? used > cap : used + held + before > cap;
      });
      if (refusals.length === 0) granted.push([claim, counters]);
      return refusals.map(([{ scope, interval }]) => `${scope} ${interval}`).toSorted();
    });
    for (const [claim, counters] of granted) {
      for (const [, counter] of counters) {
        counter.held += claim.bound.credits;
        counter.byokHeld += claim.bound.byok;
      }
      const hold = this.holds.get(claim.id);
      if (hold) hold.bound = plus(hold.bound, claim.bound);
      else this.holds.set(claim.id, claim);
    }
    for (const [claim, counters] of granted) {
      for (const [name, counter] of counters) {
        const { cap, includesByok } = this.capOf(name);
        if (claim.bound.credits + (includesByok ? claim.bound.byok : 0n) === 0n) continue;
        const all = counter.used + counter.held + (includesByok ? counter.byokUsed + counter.byokHeld : 0n);
        expect(all).toBeLessThanOrEqual(cap);
      }
    }
    return answers;
  }

  /** New ones first, then corrections. @returns how many were charged less than their amount */
  settle(settlements: readonly ModelSettlement[]): number {
    const [fresh, known] = [true, false].map((isNew) =>
      settlements.filter(({ hold }) => !this.generations.has(hold.id) === isNew),
    ) as [ModelSettlement[], ModelSettlement[]];
    for (const { hold, cost, recovered } of fresh) {
      this.generations.set(hold.id, { cost, recovered, corrected: false });
      this.charge(hold, cost);
    }
    let cut = this.cover(fresh);
    const corrected: ModelSettlement[] = [];
    for (const settlement of known) {
      const { hold, cost, recovered } = settlement;
      const generation = this.generations.get(hold.id)!;
      if (!generation.recovered || generation.corrected || recovered) continue;
      this.charge(hold, minus(cost, generation.cost));
      generation.cost = cost;
      generation.corrected = true;
      corrected.push(settlement);
    }
    cut += this.cover(corrected);
    return cut;
  }

  private charge(taken: ModelHold, cost: Amounts): void {
    const hold = this.holds.get(taken.id) ?? { ...taken, bound: NOTHING, cost: undefined };
    hold.cost = plus(hold.cost ?? NOTHING, cost);
    this.holds.set(taken.id, hold);
  }

  /** Charges amounts beyond the holds as far as the limits allow. */
  private cover(settlements: readonly ModelSettlement[]): number {
    let cut = 0;
    for (const { hold: taken } of inOrder(settlements)) {
      const hold = this.holds.get(taken.id)!;
      const missing = minus(hold.cost!, hold.bound);
      const granted = this.holdFurther(hold, { credits: positive(missing.credits), byok: positive(missing.byok) });
      const unpaid = positive(missing.credits) - granted;
      if (unpaid === 0n) continue;
      cut++;
      const generation = this.generations.get(hold.id)!;
      hold.cost = minus(hold.cost!, { credits: unpaid, byok: 0n });
      generation.cost = minus(generation.cost, { credits: unpaid, byok: 0n });
    }
    return cut;
  }

  /** @returns the part of the credits that the limits allow */
  private holdFurther(hold: ModelHold, { credits: wanted, byok: byokWanted }: Amounts): PicoUsd {
    const counters = this.countersOf(hold);
    let granted = wanted;
    for (const [name, counter] of counters) {
      const { cap, includesByok } = this.capOf(name);
      const others = includesByok ? counter.byokUsed + counter.byokHeld + byokWanted : 0n;
      const room = positive(cap - counter.used - counter.held - others);
      if (room < granted) granted = room;
    }
    for (const [, counter] of counters) {
      counter.held += granted;
      counter.byokHeld += byokWanted;
    }
    hold.bound = plus(hold.bound, { credits: granted, byok: byokWanted });
    return granted;
  }

  private countersOf({ key, keyInterval, budgets, heldAt }: ModelHold): readonly [CounterName, Counter][] {
    const names = [this.accountCounter(), { scope: 'key', id: key, interval: keyInterval } as const, ...budgets];
    return names.map((name) => [name, this.counter(name, heldAt)]);
  }

  /** Simulates a crash of the database. @returns whether there was something to lose */
  lose(id: string): boolean {
    const hold = this.holds.get(id);
    if (!hold || hold.cost) return false;
    for (const [, counter] of this.countersOf(hold)) {
      counter.held -= hold.bound.credits;
      counter.byokHeld -= hold.bound.byok;
    }
    return this.holds.delete(id);
  }

  /** @param known holds with the bounds that their process knows @returns how many had lost something */
  restore(known: readonly ModelHold[]): number {
    let lost = 0;
    for (const one of inOrder(known.map((hold) => ({ hold })))) {
      const { id, bound } = one.hold;
      if (!this.holds.has(id) && !this.generations.has(id)) this.holds.set(id, { ...one.hold, bound: NOTHING });
      const hold = this.holds.get(id);
      if (!hold || hold.cost) continue;
      const missing = minus(bound, hold.bound);
      if (missing.credits <= 0n && missing.byok <= 0n) continue;
      lost++;
      this.holdFurther(hold, { credits: positive(missing.credits), byok: positive(missing.byok) });
    }
    return lost;
  }

  release(id: string): void {
    const hold = this.holds.get(id);
    if (hold) hold.cost ??= NOTHING;
  }

  post(id: string): void {
    const hold = this.holds.get(id);
    if (!hold?.cost) return;
    this.holds.delete(id);
    const move = (name: CounterName, isHeld: boolean): void => {
      const counter = this.counter(name, hold.heldAt);
      counter.used += hold.cost!.credits;
      counter.byokUsed += hold.cost!.byok;
      if (!isHeld) return;
      counter.held -= hold.bound.credits;
      counter.byokHeld -= hold.bound.byok;
    };
    move(this.accountCounter(), true);
    for (const interval of INTERVALS) move({ scope: 'key', id: hold.key, interval }, interval === hold.keyInterval);
    for (const name of hold.budgets) move(name, true);
  }

  /** Posts what is settled and counts in a counter: in any window, and whatever else it counts in. */
  postCounter({ scope, id, interval }: CounterName): void {
    for (const hold of this.holds.values()) {
      const isBudget = hold.budgets.some(
        (budget) => budget.scope === scope && budget.id === id && budget.interval === interval,
      );
      if (scope === 'account' || (scope === 'key' && hold.key === id) || isBudget) this.post(hold.id);
    }
  }

  /** Non-zero counters, as rows of the database are printed. */
  print(): string[] {
    return [...this.counters]
      .map(([name, { used, held, byokUsed, byokHeld }]) => [name, ...[used, held, byokUsed, byokHeld].map(formatUsd)])
      .filter(([, ...figures]) => figures.some((figure) => figure !== '0'))
      .map((parts) => parts.join(' '))
      .toSorted();
  }
}

/** One sequence: each step runs on the database and on the model, and both must return the same. */
class Run {
  private readonly taken: ModelHold[] = [];
  private readonly released = new Set<string>();
  private readonly bounds = new Map<string, Amounts>();
  private readonly model: LedgerModel;

  constructor(
    private readonly bench: LedgerBench,
    private readonly account: LedgerAccount,
  ) {
    this.model = new LedgerModel(account);
  }

  async perform(step: Step): Promise<void> {
    switch (step.do) {
      case 'take':
        return this.take(step.claims);
      case 'extend':
        return this.extend(this.pick(step.index), step.more);
      case 'settle':
        return this.settle(step);
      case 'release': {
        const hold = this.pick(step.index);
        if (!hold) return;
        await this.bench.release(hold.id);
        this.released.add(hold.id);
        return this.model.release(hold.id);
      }
      case 'lose': {
        const hold = this.pick(step.index);
        if (hold) expect(await this.bench.lose(hold.id)).toBe(this.model.lose(hold.id));
        return;
      }
      case 'restore':
        return this.restore();
      case 'post': {
        const ids = (step.of === 'all' ? this.taken : step.of.map((one) => this.pick(one))).flatMap(
          (hold) => hold ?? [],
        );
        if (ids.length === 0) return;
        await this.bench.post(...ids.map(({ id }) => id));
        return ids.forEach(({ id }) => this.model.post(id));
      }
      case 'postCounter': {
        const counter = this.counterOf(step.of);
        await this.bench.postCounters(counter);
        return this.model.postCounter(counter);
      }
      case 'grant': {
        const amount = step.kind === 'adjustment' ? -step.amount / 4n : step.amount;
        await this.bench.grant(this.account, formatUsd(amount), step.kind);
        this.model.limit += amount;
        if (step.kind === 'purchase') this.model.purchased += amount;
        return;
      }
      case 'wait':
        this.bench.aheadMs += step.hours * HOUR_MS;
    }
  }

  private counterOf(of: 'account' | 'workspace' | number): CounterName {
    if (of === 'account') return { scope: 'account', id: this.account.id, interval: 'lifetime' };
    if (of === 'workspace') return this.model.budgets()[0]!;
    return { scope: 'key', id: this.account.keys[of]!, interval: KEYS[of]!.reset ?? 'lifetime' };
  }

  private pick(position: number): ModelHold | undefined {
    return this.taken[position % Math.max(1, this.taken.length)];
  }

  private async take(wanted: readonly (Amounts & { readonly key: number })[]): Promise<void> {
    const now = Date.now() + this.bench.aheadMs;
    const claims = wanted.map(({ key, ...bound }) => ({
      id: newGenerationId(now),
      key: this.account.keys[key]!,
      bound,
    }));
    const answers = await this.bench.take(...claims.map((claim) => this.claimOf(claim)));
    const heldAt = answers.find(({ held_at }) => held_at)?.held_at ?? new Date(now);
    const holds = claims.map(({ id, key, bound }): ModelHold => ({
      id,
      key,
      heldAt,
      bound,
      keyInterval: KEYS[this.account.keys.indexOf(key)]!.reset ?? 'lifetime',
      budgets: this.model.budgets(),
      cost: undefined,
    }));
    expect(answers.map(({ refusedBy }) => refusedBy.toSorted())).toEqual(this.model.take(holds));
    for (const [position, { held_at }] of answers.entries()) {
      if (!held_at) continue;
      this.taken.push({ ...holds[position]! });
      this.bounds.set(holds[position]!.id, holds[position]!.bound);
    }
  }

  private async extend(hold: Pick<ModelHold, 'id' | 'key'> | undefined, more: Amounts): Promise<void> {
    if (!hold) return;
    const [answer] = await this.bench.take({ ...this.claimOf({ ...hold, bound: more }), extends: true });
    const standing = this.model.holds.get(hold.id);
    if (!standing || standing.cost) return expect(answer).toBeUndefined();
    expect([answer?.refusedBy.toSorted()]).toEqual(this.model.take([{ ...standing, bound: more }]));
    if (answer?.held_at) this.bounds.set(hold.id, plus(this.bounds.get(hold.id)!, more));
  }

  private async settle({ of, times }: Extract<Step, { do: 'settle' }>): Promise<void> {
    const settlements = new Map<string, Settlement & { readonly hold: ModelHold; readonly amounts: Amounts }>();
    for (const { index: holdIndex, percent, recovered } of of) {
      const hold = this.pick(holdIndex);
      if (!hold || settlements.has(hold.id)) continue;
      const bound = this.bounds.get(hold.id)!;
      const amounts = { credits: (bound.credits * percent) / 100n, byok: (bound.byok * percent) / 100n };
      const [cost, byokCost] = [formatUsd(amounts.credits), formatUsd(amounts.byok)];
      await this.bench.ensureMonth(hold.heldAt);
      const { id, key, heldAt } = hold;
      const shown = { id, key, heldAt, counters: countersOf(hold), account: this.account };
      settlements.set(id, { ...shown, cost, byokCost, recovered, hold, amounts });
    }
    if (settlements.size === 0) return;
    const cut = await this.bench.settle(...Array.from({ length: times }, () => [...settlements.values()]).flat());
    const model = [...settlements.values()].map(({ hold, amounts, recovered }) => ({
      hold,
      cost: amounts,
      recovered: recovered === true,
    }));
    expect(cut).toBe(this.model.settle(model));
  }

  /** Restores all open holds of its process. */
  private async restore(): Promise<void> {
    const open = this.taken
      .filter(({ id }) => !this.released.has(id) && !this.model.generations.has(id))
      .map((hold) => ({ ...hold, bound: this.bounds.get(hold.id)! }));
    const known = open.map((hold) => ({ ...this.claimOf(hold), heldAt: hold.heldAt, counters: countersOf(hold) }));
    expect(await this.bench.restore(...known)).toBe(this.model.restore(open));
  }

  private claimOf({ id, key, bound }: Pick<ModelHold, 'id' | 'key' | 'bound'>): Claim {
    return { id, key, account: this.account, bound: formatUsd(bound.credits), byokBound: formatUsd(bound.byok) };
  }

  async compare(): Promise<void> {
    const { database } = this.bench;
    const windows = await database.query<Record<string, string>[]>(
      `select scope || ' ' || scope_id || ' ' || interval as name,
         to_char(window_start at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as start,
         concat_ws(' ', trim_scale(used), trim_scale(held), trim_scale(byok_used), trim_scale(byok_held)) as figures
       from spending_windows where account_id = $1`,
      [this.account.id],
    );
    const printed = windows
      .filter(({ figures }) => figures !== '0 0 0 0')
      .map((row) => `${row.name} ${row.start} ${row.figures}`);
    expect(printed.toSorted()).toEqual(this.model.print());
    const generations = await database.query<{ id: string; cost: string; byok_cost: string }[]>(
      `select id, trim_scale(cost)::text as cost, trim_scale(byok_cost)::text as byok_cost from generations where account_id = $1`,
      [this.account.id],
    );
    expect(new Map(generations.map(({ id, cost, byok_cost }) => [id, [cost, byok_cost]]))).toEqual(
      new Map(
        [...this.model.generations].map(([id, { cost }]) => [id, [formatUsd(cost.credits), formatUsd(cost.byok)]]),
      ),
    );
    const [row] = await database.query<{ limit: string; purchased: string; holds: string }[]>(
      `select trim_scale("limit")::text as "limit", trim_scale(a.purchased_usd)::text as purchased,
         (select count(*) from holds where account_id = $1) as holds
       from spending_windows w join accounts a on a.id = w.account_id where w.account_id = $1 and w.scope = 'account'`,
      [this.account.id],
    );
    expect(row).toEqual({
      limit: formatUsd(this.model.limit),
      purchased: formatUsd(this.model.purchased),
      holds: String(this.model.holds.size),
    });
  }
}

const countersOf = ({ keyInterval, budgets }: ModelHold): BenchCounters => ({
  keyInterval,
  budgets: budgets.map(({ scope, id, interval }) => [scope, id, interval] as const),
});

describeOnEachDatabase('the ledger and a model of it', (database) => {
  let dataSource: DataSource;
  beforeAll(async () => {
    dataSource = await database.connect();
  });
  afterAll(() => dataSource?.destroy());

  it('agree after every step of every sequence, and with the verification', async () => {
    const bench = new LedgerBench(dataSource);
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: STEPS_MIN, maxLength: STEPS_MAX, size: 'max' }), async (steps) => {
        bench.aheadMs = BEGINNING - Date.now();
        const run = new Run(bench, await bench.addAccount(CREDITS, { keys: KEYS, budgets: BUDGETS }));
        for (const one of steps) {
          await run.perform(one);
          await run.compare();
        }
        expect(await verifyLedger(dataSource)).toMatchObject({ differences: [], unlisted: 0 });
      }),
      BUDGET,
    );
  }, 240_000);
});
