/**
 * Checks that operator cost is the same in the metric, the rows and the activity, whatever an endpoint does in
 * succession, and that what replies teach about an endpoint stays within the rule, however often an attacker repeats
 * it (docs/contribute/ledger.md#when-an-endpoint-exceeds-its-bounds). A scripted upstream reports too much, breaks
 * off, fails or answers correctly, before free models and paid ones of 3 USD per million input tokens and 15 USD per
 * million output tokens.
 */
import { readFile } from 'node:fs/promises';
import { MINUTE_MS } from '../../src/core/time.js';
import { AheadClock } from '../support/ahead-clock.js';
import { anthropicError, anthropicText } from '../support/anthropic-upstream.js';
import { catalogOf, MANAGEMENT_KEY, startGateway, type TestGateway } from '../support/app.js';
import { describeOnEmbedded } from '../support/database.js';
import { LedgerReader } from '../support/ledger-reader.js';
import type { JsonBody } from '../support/recorded-request.js';
import { CUT, json, sse, type Answer, type Script } from '../support/upstream-answers.js';
import { startUpstream, type Upstream } from '../support/upstreams.js';
import { delta, OPEN } from './messages-bench.js';

const PICO = 10n ** 12n;
const MICRO = 1e6;
/** 67 tokens of prompt and the 100 of `max_tokens`, in microdollars. */
const BOUND = 67 * 3 + 100 * 15;
/** The most that replies may teach: four times `max_tokens` and a slack of 256. */
const WIDEST = 67 * 3 + 4 * 356 * 15;
/** After this time observations have faded: seven half-lives. */
const FADED_MS = 7 * 30 * MINUTE_MS;
const DAY_MS = 24 * 60 * MINUTE_MS;
const FREE = { pricing: { prompt: '0', completion: '0' } };

const REPLY = {
  id: 'm',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [{ type: 'text', text: 'short' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
};
/** @param output reported tokens */
const telling = (output: number): Answer | Script =>
  json({ ...REPLY, usage: { input_tokens: 12, output_tokens: output } });
const ENDLESS = 200_000;

/** The successive behaviours of the endpoint. */
const TURNS: readonly (readonly [what: string, answer: Answer | Script, stream: boolean])[] = [
  ['in order', telling(9), false],
  ['more than can be', telling(ENDLESS), false],
  ['fails', json(anthropicError('api_error', 'broken'), 500), false],
  ['breaks off', sse([OPEN + delta('half of it'), CUT]), true],
  ['more than can be, again', telling(900), false],
  ['in order, streamed', anthropicText('whole'), true],
];

describeOnEmbedded('what the operator loses', (database) => {
  const clock = new AheadClock();
  let upstream: Upstream;
  let gateway: TestGateway;
  let ledger: LedgerReader;

  beforeAll(async () => {
    upstream = await startUpstream('anthropic');
  });
  afterAll(() => upstream?.close());
  beforeEach(async () => {
    const at = [{ url: upstream.url, dialect: 'anthropic-messages' }] as const;
    gateway = await startGateway(database, {
      catalog: catalogOf(
        { id: 'test/paid', at },
        { id: 'test/beside', at },
        { id: 'test/gift', at, endpoint: FREE },
        { id: 'test/gift:free', at, endpoint: FREE },
      ),
      coolsDown: false,
      clock,
    });
    ledger = new LedgerReader(gateway);
  }, 240_000);
  afterEach(() => gateway?.close());

  const bodyFor = (model: string): JsonBody => ({
    model,
    max_tokens: 100,
    messages: [{ role: 'user', content: 'Hello' }],
  });

  async function ask(
    answer: Answer | Script,
    { model = 'test/paid', stream = false, key = '' } = {},
  ): Promise<JsonBody> {
    upstream.script(answer);
    const response = await gateway.messages({ ...bodyFor(model), stream }, key === '' ? {} : { key });
    await response.text();
    const id = response.headers.get('x-generation-id')!;
    await ledger.rest();
    return ledger.generation(id);
  }

  const pico = (usd: string): bigint => BigInt(usd.replace('.', ''));
  async function sums(): Promise<{ metric: number; rows: number; activity: number }> {
    const metrics = await gateway.metrics();
    const lines = [...metrics.matchAll(/^fairlead_operator_cost_usd_total\{[^}]*\} (\S+)$/gm)];
    const rows = await ledger.query('select operator_cost from generations');
    const total = (rows as JsonBody[]).reduce((sum, { operator_cost }) => sum + pico(operator_cost), 0n);
    clock.aheadMs += DAY_MS;
    const activity = await gateway.request('/activity', { key: MANAGEMENT_KEY });
    const { data } = (await activity.json()) as JsonBody;
    return {
      metric: lines.reduce((sum, [, usd]) => sum + Number(usd), 0),
      rows: Number(total) / Number(PICO),
      activity: data.reduce((sum: number, { operator_cost }: JsonBody) => sum + operator_cost, 0),
    };
  }

  it('is one sum in the metric, the rows and the activity, of an endpoint that answers differently each time', async () => {
    const lost: string[] = [];
    for (const model of ['test/paid', 'test/beside', 'test/gift', 'test/gift:free']) {
      for (let round = 0; round < 2; round++) {
        for (const [what, answer, stream] of TURNS) {
          const { operator_cost } = await ask(answer, { model, stream });
          if (pico(operator_cost) > 0n) lost.push(`${model} ${round} ${what}`);
        }
      }
    }
    // Free endpoints lose nothing, and the observation of the first reply widens the hold of the next like it.
    const expected = ['test/paid', 'test/beside'].flatMap((model) =>
      [0, 1].flatMap((round) => [`${model} ${round} more than can be`, `${model} ${round} breaks off`]),
    );
    expect(lost).toEqual(expected);
    const { metric, rows, activity } = await sums();
    expect(rows).toBeGreaterThan(0);
    expect([metric, activity]).toEqual([expect.closeTo(rows, 9), expect.closeTo(rows, 9)]);
  }, 240_000);

  /** In microdollars, for the common key. */
  async function boundOf(model: string): Promise<number> {
    const response = await gateway.request('/routing/explain', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(bodyFor(model)),
    });
    return Math.round(Number(((await response.json()) as JsonBody).data.candidates[0].bound) * MICRO);
  }

  it('widens the bounds of that endpoint alone, four times at most, while it fades, and not past a restart', async () => {
    const keys = [(await gateway.newKey()).key, (await gateway.newKey()).key] as const;
    for (let round = 0; round < 5; round++) await ask(telling(ENDLESS), { key: keys[0] });
    expect(await boundOf('test/paid')).toBe(BOUND);
    for (let round = 0; round < 5; round++) {
      for (const key of keys) await ask(telling(ENDLESS), { key });
      expect(await boundOf('test/paid')).toBe(WIDEST);
    }
    expect(await boundOf('test/beside')).toBe(BOUND);
    // A caller whose hold is larger pays what its own reply reports, and no more.
    const { cost, operator_cost, bound } = await ask(telling(9));
    expect([bound, cost, operator_cost].map((usd) => Math.round(Number(usd) * MICRO))).toEqual([
      WIDEST,
      12 * 3 + 9 * 15,
      0,
    ]);
    clock.aheadMs += 30 * MINUTE_MS;
    const half = await boundOf('test/paid');
    expect([half > BOUND, half < WIDEST]).toEqual([true, true]);
    clock.aheadMs += FADED_MS;
    expect(await boundOf('test/paid')).toBe(BOUND);

    for (const key of keys) await ask(telling(ENDLESS), { key });
    expect(await boundOf('test/paid')).toBe(WIDEST);
    await gateway.close();
    gateway = await startGateway(database, {
      catalog: JSON.parse(await readFile(gateway.catalogPath, 'utf8')) as object,
      clock,
    });
    expect(await boundOf('test/paid')).toBe(BOUND);
  }, 240_000);

  it.each<[string, JsonBody]>([
    ['a trillion of cached tokens', { cache_read_input_tokens: 1e12 }],
    ['more cached tokens than were sent', { cache_read_input_tokens: 50_000 }],
    ['more written tokens than were sent', { cache_creation_input_tokens: 50_000 }],
    ['a prompt beyond the context', { input_tokens: 1e12 }],
    ['a reply beyond the context', { output_tokens: 1e12 }],
    ['a negative number', { cache_read_input_tokens: -1e12, cache_creation_input_tokens: -1 }],
    ['no number', { cache_read_input_tokens: 'NaN', cache_creation_input_tokens: null }],
  ])('keeps nothing of figures that cannot be true: %s', async (_, figures) => {
    const reply = json({ ...REPLY, usage: { input_tokens: 12, output_tokens: 9, ...figures } });
    const keys = [];
    for (let caller = 0; caller < 2; caller++) {
      const { key } = await gateway.newKey({ rate_limits: { tokens_per_minute: 1_000 } });
      keys.push(key);
      for (let round = 0; round < 2; round++) await ask(reply, { key });
    }
    // Bounds, for all callers and for its own.
    expect(await boundOf('test/paid')).toBe(BOUND);
    for (const key of keys) {
      const { bound } = await ask(telling(9), { key });
      expect(Math.round(Number(bound) * MICRO)).toBe(BOUND);
    }
    // The minute of a key: it has used what was reserved at most.
    for (const key of keys) {
      upstream.script(telling(9));
      expect((await gateway.messages(bodyFor('test/paid'), { key })).status).toBe(200);
    }
    // Metrics.
    const counted = [...(await gateway.metrics()).matchAll(/^fairlead_tokens_total\{[^}]*\} (\S+)$/gm)];
    expect(counted.length).toBeGreaterThan(0);
    for (const [, tokens] of counted) {
      expect(Number(tokens)).toBeGreaterThanOrEqual(0);
      expect(Number(tokens)).toBeLessThan(1_000);
    }
  });
});
