/**
 * Checks that the judge of the crash tests finds the faults it exists for, and nothing else
 * (docs/contribute/reliability.md). Each piece of evidence has one thing wrong.
 */
import type { Evidence } from '../scripts/crash/evidence.js';
import { judge } from '../scripts/crash/judge.js';

describe('the judge of the crash tests', () => {
  const cost = 24_000_000n;
  const call = { isRefused: false, cost };
  const reply = { marker: 'v1-0', id: 'gen-1', status: 200, isComplete: true, reportedCost: 0.000024 };
  const row = {
    id: 'gen-1',
    marker: 'v1-0',
    outcome: 'completed',
    cost,
    bound: cost,
    operatorCost: 0n,
    isRecovered: false,
  };
  const entered = { id: 'gen-1', charges: 1, corrections: 0, amount: cost };
  const sound: Evidence = {
    calls: new Map([['v1-0', [{ isRefused: true, cost: 7n }, call]]]),
    replies: [reply],
    generations: [row],
    entries: [entered],
  };

  it('finds nothing where nothing is wrong, an attempt that failed before the answer included', () => {
    const { counts, violations } = judge(sound);
    expect(violations).toEqual([]);
    expect(counts).toMatchObject({
      upstreamCalls: 2,
      called: 1,
      rows: 1,
      completed: 1,
      exact: 1,
      counted: cost,
      charged: cost,
    });
  });

  it('accepts a charge below the usage for a call that was cut off, and none for one that was never sent', () => {
    const cut = { ...reply, isComplete: false, reportedCost: undefined };
    const unsent = { marker: 'v1-1', id: undefined, status: undefined, isComplete: false, reportedCost: undefined };
    const { counts, violations } = judge({
      ...sound,
      replies: [cut, unsent],
      generations: [
        { ...row, outcome: 'recovered', cost: 1n, isRecovered: true },
        { ...row, id: 'gen-2', marker: 'v1-1', outcome: 'recovered', cost: 0n, isRecovered: true },
      ],
      entries: [
        { ...entered, amount: 1n },
        { ...entered, id: 'gen-2', amount: 0n },
      ],
    });
    expect(violations).toEqual([]);
    expect(counts).toMatchObject({ recovered: 2, rowsWithoutCall: 1 });
  });

  it('accepts a run that failed without a charge before the one that answered, of a repeated request alone', () => {
    const failed = { ...row, id: 'gen-0', outcome: 'failed', cost: 0n };
    const entries = [{ ...entered, id: 'gen-0', amount: 0n }, entered];
    const judged = (generation: typeof row, isRepeated: boolean) =>
      judge({ ...sound, replies: [{ ...reply, isRepeated }], generations: [generation, row], entries }).violations;
    expect(judged(failed, true)).toEqual([]);
    expect(judged(failed, false)).toEqual([expect.stringContaining('has 2 rows')]);
    expect(judged({ ...failed, outcome: 'completed' }, true)).toEqual([expect.stringContaining('has 2 rows')]);
    expect(judged({ ...failed, operatorCost: 1n }, true)).toEqual([expect.stringContaining('has 2 rows')]);
  });

  it('accepts a late settlement reduced by the operator cost, and only where that is possible', () => {
    const late = { ...row, cost: cost - 7n, operatorCost: 7n };
    const evidence = { ...sound, generations: [late], entries: [{ ...entered, amount: cost - 7n }] };
    expect(judge({ ...evidence, mayBeLate: true })).toMatchObject({ violations: [], counts: { exact: 0, late: 1 } });
    expect(judge(evidence).violations).not.toEqual([]);
    const short = { ...evidence, generations: [{ ...late, operatorCost: 6n }], mayBeLate: true };
    expect(judge(short).violations).not.toEqual([]);
  });

  it('accepts a charge by estimate, within its bound, for a call that was abandoned before it was counted', () => {
    const left = { ...reply, isComplete: false, reportedCost: undefined };
    const evidence = { ...sound, calls: new Map([['v1-0', [{ ...call, cost: cost - 1n }]]]), replies: [left] };
    expect(judge({ ...evidence, generations: [{ ...row, isEstimated: true }] }).violations).toEqual([]);
    const dear = { ...row, isEstimated: true, bound: cost - 1n };
    expect(judge({ ...evidence, generations: [dear] }).violations).toEqual([expect.stringMatching(/above its bound/)]);
  });

  it('compares the charge of a lost reply, as its repetition states it, with what is entered', () => {
    const lostReply = { marker: 'v1-0', generationId: 'gen-1', charged: 0.000024 };
    const judged = (...lost: NonNullable<Evidence['lost']>) => judge({ ...sound, lost }).violations;
    const unknown = { marker: 'v1-1', generationId: undefined, charged: undefined };
    expect(judged(lostReply, unknown, { ...unknown, generationId: 'gen-7' })).toEqual([]);
    for (const charged of [undefined, 0, 0.000023])
      expect(judged({ ...lostReply, charged })).toEqual([
        expect.stringMatching(/its reply was lost, charged .* entered is/),
      ]);
    expect(judged({ ...unknown, charged: 0.1 })).toEqual([expect.stringContaining('its reply was lost')]);
    expect(judged({ ...lostReply, marker: 'v1-1' })).toEqual(['gen-1: is named for v1-1']);
  });

  describe('before recovered rows that no evidence mentions', () => {
    const empty = { id: 'gen-2', marker: undefined, outcome: 'recovered', cost: 0n, bound: cost, operatorCost: 0n };
    const failed = { marker: 'v1-1', id: 'gen-2', status: 503, isComplete: false, reportedCost: undefined };
    const nothing = { id: 'gen-2', charges: 1, corrections: 0, amount: 0n };
    const unheard = {
      ...sound,
      replies: [reply, failed],
      generations: [row, { ...empty, isRecovered: true }],
      entries: [entered, nothing],
      mayBeLate: true,
    } satisfies Evidence;
    const countsOf = (evidence: Evidence): unknown => {
      const { counts, violations } = judge(evidence);
      return { violations, unheard: counts.unheard, reported: counts.unheardReported };
    };

    it('attributes them to holds of failed requests, by the id that the client received', () => {
      expect(countsOf(unheard)).toEqual({ violations: [], unheard: 1, reported: 1 });
    });

    it('takes one for each request that failed without a reply, and no more', () => {
      const cut = { ...failed, id: undefined, status: undefined };
      expect(countsOf({ ...unheard, replies: [reply, cut] })).toEqual({ violations: [], unheard: 1, reported: 0 });
      const third = { ...empty, id: 'gen-3', isRecovered: true };
      const more = { ...unheard, generations: [...unheard.generations, third] };
      const entries = [...unheard.entries, { ...nothing, id: 'gen-3' }];
      expect(judge({ ...more, entries, replies: [reply, cut] }).violations).toEqual(['gen-3: is a row of no request']);
    });

    it.each<[string, Partial<Evidence>]>([
      ['of another id than its client received', { replies: [reply, { ...failed, id: 'gen-9' }] }],
      ['while no request failed', { replies: [reply] }],
      ['of a request that was refused', { replies: [reply, { ...failed, status: 402 }] }],
      ['of a request that came to its end', { replies: [reply, { ...failed, status: 200, isComplete: true }] }],
      ['where no hold can be lost', { mayBeLate: false }],
      ['that no process has recovered', { generations: [row, { ...empty, isRecovered: false }] }],
      ['at a cost', { generations: [row, { ...empty, isRecovered: true, cost: 1n }], entries: [entered, { ...nothing, amount: 1n }] }],
      ['at a cost of the operator’s', { generations: [row, { ...empty, isRecovered: true, operatorCost: 1n }] }],
    ])('finds one %s', (_, wrong) => {
      expect(judge({ ...unheard, ...wrong }).violations).toContain('gen-2: is a row of no request');
    }); // oxfmt-ignore

    it('finds one beside a row of the request that failed', () => {
      const cut = { ...failed, id: undefined, status: undefined };
      const own = { ...empty, id: 'gen-3', marker: 'v1-1', isRecovered: true };
      const entries = [...unheard.entries, { ...nothing, id: 'gen-3' }];
      const generations = [...unheard.generations, own];
      expect(judge({ ...unheard, replies: [reply, cut], generations, entries }).violations).toEqual([
        'gen-2: is a row of no request',
      ]);
    });

    it('finds one whose request went upstream as a call without a row', () => {
      const calls = new Map([...sound.calls, ['v1-1', [call]] as const]);
      expect(judge({ ...unheard, calls }).violations).toEqual([
        'gen-2: is a row of no request',
        'v1-1: reached the upstream and has 0 rows ',
      ]);
    });

    it('finds one that is entered at more than nothing, or not at all', () => {
      const dear = { ...nothing, amount: 1n };
      expect(judge({ ...unheard, entries: [entered, dear] }).violations).toEqual([
        'gen-2: costs nothing, entered is 0.000000000001',
      ]);
      expect(judge({ ...unheard, entries: [entered] }).violations).toEqual(['gen-2: has a row and no entry']);
    });
  });

  it.each<[string, Partial<Evidence>, RegExp]>([
    ['a call without a row', { generations: [], entries: [], replies: [{ ...reply, isComplete: false }] }, /v1-0: reached the upstream and has 0 rows/],
    ['a call with two rows', { generations: [row, { ...row, id: 'gen-2' }], entries: [entered, { ...entered, id: 'gen-2' }] }, /has 2 rows gen-1 gen-2/],
    ['a row without a request', { generations: [row, { ...row, id: 'gen-2', marker: undefined, cost: 0n }], entries: [entered, { ...entered, id: 'gen-2', amount: 0n }] }, /gen-2: is a row of no request/],
    ['two charges', { entries: [{ ...entered, charges: 2 }] }, /gen-1: has 2 charges/],
    ['two corrections', { entries: [{ ...entered, corrections: 2 }] }, /gen-1: has 1 charges and 2 corrections/],
    ['a row without an entry', { entries: [] }, /gen-1: has a row and no entry/],
    ['an entry without a row', { entries: [entered, { ...entered, id: 'gen-2' }] }, /gen-2: has entries and no row/],
    ['an entry that is not what its row has', { entries: [{ ...entered, amount: cost - 1n }] }, /gen-1: its row has 0.000024 USD, entered is 0.000023999999/],
    ['a complete reply that counts as cut off', { generations: [{ ...row, outcome: 'recovered' }] }, /gen-1: its last byte went out and it counts as recovered/],
    ['a complete reply that is charged less', { generations: [{ ...row, cost: cost - 1n }], entries: [{ ...entered, amount: cost - 1n }] }, /gen-1: the upstream counted 0.000024 USD, its row has 0.000023999999/],
    ['a complete reply of another id', { replies: [{ ...reply, id: 'gen-9' }] }, /gen-9: its row bears another id, gen-1/],
    ['a client that receives another cost', { replies: [{ ...reply, reportedCost: 0.000025 }] }, /its client received 0.000025/],
    ['a charge above what the upstream counted', { replies: [{ ...reply, isComplete: false }], calls: new Map([['v1-0', [{ ...call, cost: cost - 1n }]]]) }, /gen-1: is charged 0.000024 USD, the upstream counted 0.000023999999/],
    ['a charge above the bound', { generations: [{ ...row, bound: cost - 1n }] }, /gen-1: is charged 0.000024 USD, above its bound/],
    ['a charge for what was never called', { calls: new Map() }, /gen-1: is charged 0.000024 USD, the upstream counted 0/],
    ['a complete reply without a row', { generations: [], entries: [], calls: new Map() }, /gen-1: its last byte went out and it has no row/],
    ['a complete reply that is entered at less', { entries: [{ ...entered, amount: cost - 1n }] }, /gen-1: the upstream counted 0.000024 USD, entered is 0.000023999999/],
    ['the same row twice', { generations: [row, row] }, /has 2 rows gen-1 gen-1/],
    ['a refused call that went upstream', { replies: [{ ...reply, status: 402, isComplete: false }] }, /v1-0: was refused with 402 and reached the upstream/],
  ])('finds %s', (_, wrong, violation) => {
    expect(judge({ ...sound, ...wrong }).violations.join('\n')).toMatch(violation);
  }); // oxfmt-ignore
});
