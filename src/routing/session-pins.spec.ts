// A session is bound where the next request would not go by itself, for its caller and model alone, for ten idle
// minutes. Plans of the real planner, a moved clock, no replicas.
import { modelRequest } from '../../test/support/model-request.js';
import { endpoint, model, plan, price } from '../../test/support/route-inputs.js';
import type { Caller } from '../core/caller.js';
import type { ModelRequest } from '../core/conversation/request.js';
import type { Plan, PlannedLeg } from '../core/routing/plan.js';
import { Clock } from '../core/time.js';
import { NoReplicas } from '../shared/redis/replicated-map-link.js';
import { SessionPins } from './session-pins.js';

class ManualClock extends Clock {
  time = 1_700_000_000_000;
  override now(): number {
    return this.time;
  }
}

const caller: Caller = { accountId: 'acc', workspaceId: 'w', keyHash: 'k', kind: 'inference', userId: null };
const cached = price(1, { inputCacheRead: 1n });
const acme = model('acme/large', [endpoint('p1', { pricing: cached }), endpoint('p2', { pricing: cached })]);

const ask = (parts: Partial<ModelRequest> = {}): ModelRequest =>
  modelRequest({
    model: acme.id,
    system: [{ type: 'text', text: 'Be brief.' }],
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
    ...parts,
  });
const inSession = (parts: Partial<ModelRequest> = {}): ModelRequest => ask({ sessionId: 's1', ...parts });

describe('SessionPins', () => {
  let clock: ManualClock;
  let pins: SessionPins;
  beforeEach(() => {
    clock = new ManualClock();
    pins = new SessionPins(new NoReplicas(), clock);
  });

  const planOf = (request: ModelRequest, who = caller): Plan =>
    plan([acme], { session: pins.inputsOf(who, request), needs: { preferences: request.preferences } });
  const pinned = (request: ModelRequest, who = caller): string | undefined =>
    pins.inputsOf(who, request)?.pinOf(acme.id);
  const answer = (request: ModelRequest, pick: (made: Plan) => PlannedLeg, cachedTokens = 0): string => {
    const made = planOf(request);
    const leg = pick(made);
    pins.confirm(caller, request, made, leg, cachedTokens);
    return leg.tag;
  };
  const first = ({ legs }: Plan): PlannedLeg => legs[0]!;
  const second = ({ legs }: Plan): PlannedLeg => legs[1]!;

  it('needs no pin where the session goes by itself', () => {
    answer(inSession(), first);
    expect(pinned(inSession())).toBeUndefined();
  });

  it('binds a session after a failover, and keeps it when the first is healthy again', () => {
    const tag = answer(inSession(), second);
    expect([pinned(inSession()), first(planOf(inSession())).tag]).toEqual([tag, tag]);
    answer(inSession(), first);
    expect(pinned(inSession())).toBe(tag);
  });

  it('moves the pin with a failover of the pinned', () => {
    answer(inSession(), second);
    const tag = answer(inSession(), second);
    expect(pinned(inSession())).toBe(tag);
  });

  it('removes a pin after ten idle minutes, which each success restarts', () => {
    const tag = answer(inSession(), second);
    clock.time += 599_000;
    answer(inSession(), first);
    clock.time += 599_000;
    expect(pinned(inSession())).toBe(tag);
    clock.time += 2_000;
    expect(pinned(inSession())).toBeUndefined();
  });

  it('binds a sorted session where it was answered, because figures change', () => {
    const sorted = inSession({ preferences: { sort: 'throughput' } });
    const tag = answer(sorted, first);
    expect(pinned(sorted)).toBe(tag);
  });

  it('binds nothing under the order of the caller', () => {
    answer(inSession({ preferences: { order: ['p1', 'p2'] } }), second);
    expect(pinned(inSession())).toBeUndefined();
  });

  it('keeps sessions of other keys, accounts, models and ids apart', () => {
    answer(inSession(), second);
    expect(pinned(inSession(), { ...caller, keyHash: 'other' })).toBeUndefined();
    expect(pinned(inSession(), { ...caller, accountId: 'other' })).toBeUndefined();
    expect(pinned(inSession({ sessionId: 's2' }))).toBeUndefined();
    expect(pins.inputsOf(caller, inSession())!.pinOf('acme/small')).toBeUndefined();
  });

  describe('without an id', () => {
    const grown = (): ModelRequest =>
      ask({ messages: [...ask().messages, { role: 'assistant', content: [{ type: 'text', text: 'Hi' }] }] });

    it('binds a conversation once its cache was used', () => {
      answer(ask(), second);
      expect(pinned(grown())).toBeUndefined();
      const tag = answer(ask(), second, 900);
      expect([pinned(grown()), first(planOf(grown())).tag]).toEqual([tag, tag]);
    });

    it.each<[string, ModelRequest]>([
      ['other instructions', ask({ system: [{ type: 'text', text: 'Be long.' }] })],
      ['another first message', ask({ messages: [{ role: 'user', content: [{ type: 'text', text: 'Hey' }] }] })],
    ])('distinguishes a conversation with %s', (_, other) => {
      answer(ask(), second, 900);
      expect(pinned(other)).toBeUndefined();
    });

    it('binds nothing where the cache is no cheaper', () => {
      const dear = model('acme/large', [endpoint('p1', { pricing: price(1) }), endpoint('p2', { pricing: price(1) })]);
      const made = plan([dear], { session: pins.inputsOf(caller, ask()) });
      pins.confirm(caller, ask(), made, second(made), 900);
      expect(pinned(grown())).toBeUndefined();
    });

    it('never draws by the conversation alone', () => {
      expect(pins.inputsOf(caller, ask())?.key).toBeUndefined();
      expect(pins.inputsOf(caller, inSession())!.key).toEqual(expect.any(String));
    });
  });
});
