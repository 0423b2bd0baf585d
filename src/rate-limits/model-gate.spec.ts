// A model's limits apply per account and model, a refusal names its limit with the right figures, no limits cost
// nothing. Uses the real local counts, and counts that fail when they are called.
import type { ModelLimits } from '../core/routing/catalog.js';
import { Clock } from '../core/time.js';
import { OccupiedSlots } from './occupied-slots.js';
import { LimitCounts } from './limit-counts.js';
import { LocalLimitCounts } from './local-limit-counts.js';
import { ModelGate } from './model-gate.js';

const MINUTE = 1_795_000_020_000;

class StoppedClock extends Clock {
  override now(): number {
    return MINUTE + 20_000;
  }
}

class NoCounts extends LimitCounts {
  override async claim(): Promise<never> {
    throw new Error('called');
  }
}

const modelWith = (limits: ModelLimits, id = 'acme/large'): { id: string; limits: ModelLimits } => ({ id, limits });

describe('ModelGate', () => {
  let gate: ModelGate;
  beforeEach(() => {
    const clock = new StoppedClock();
    gate = new ModelGate(new LocalLimitCounts(clock, new OccupiedSlots(clock, 900_000)));
  });

  it.each([
    ['no limits', { id: 'acme/large' }],
    ['limits that limit nothing', modelWith({})],
  ])('calls no counter and allocates nothing for a model with %s', async (_, model) => {
    const open = new ModelGate(new NoCounts());
    const entered = open.enter('account', model, 'gen-1', 10);
    expect(open.enter('other', model, 'gen-2', 1e9)).toBe(entered);
    const slot = await entered;
    slot.release(5);
    slot.release();
  });

  const SECONDS_LEFT = 40;
  it.each([
    ['requestsPerMinute', 1, '0', MINUTE + 60_000, SECONDS_LEFT, 'model_requests_per_minute', '1 request a minute'],
    ['tokensPerMinute', 150, '50', MINUTE + 60_000, SECONDS_LEFT, 'model_tokens_per_minute', '150 tokens a minute'],
    ['concurrency', 1, '0', MINUTE + 21_000, 1, 'model_concurrency', '1 request of an account at a time'],
  ])('refuses past %s with its figures', async (name, limit, remaining, reset, seconds, source, words) => {
    const model = modelWith({ requestsPerMinute: 9, tokensPerMinute: 1_000, concurrency: 9, [name]: limit });
    await gate.enter('account', model, 'gen-1', 100);
    const headers = {
      'X-RateLimit-Limit': String(limit),
      'X-RateLimit-Remaining': remaining,
      'X-RateLimit-Reset': String(reset),
    };
    await expect(gate.enter('account', model, 'gen-2', 100)).rejects.toMatchObject({
      kind: 'rate-limited',
      message: expect.stringMatching(new RegExp(`^Rate limit exceeded: acme/large .*${words}`)),
      detail: { headers, retryAfterMs: seconds * 1_000, metadata: { headers, limit_source: source } },
    });
  });

  it('counts accounts and models separately', async () => {
    const limits = { requestsPerMinute: 1 };
    await gate.enter('account', modelWith(limits), 'gen-1', 1);
    await gate.enter('account', modelWith(limits, 'acme/small'), 'gen-2', 1);
    await gate.enter('other', modelWith(limits), 'gen-3', 1);
    await expect(gate.enter('account', modelWith(limits), 'gen-4', 1)).rejects.toMatchObject({ kind: 'rate-limited' });
  });

  it('gives a generation that calls a model twice at once two slots', async () => {
    const model = modelWith({ concurrency: 2 });
    const [first] = [await gate.enter('account', model, 'gen-1', 1), await gate.enter('account', model, 'gen-1', 1)];
    await expect(gate.enter('account', model, 'gen-2', 1)).rejects.toMatchObject({ kind: 'rate-limited' });
    first.release();
    await gate.enter('account', model, 'gen-2', 1);
    await expect(gate.enter('account', model, 'gen-3', 1)).rejects.toMatchObject({ kind: 'rate-limited' });
  });
});
