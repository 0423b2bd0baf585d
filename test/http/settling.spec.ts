/**
 * Checks that a request is settled exactly once and with the right amount, however it ends: one row, one charge, the
 * counters moved, nothing held. The endings are scripted, whole and streamed; rows are read back from the store. The
 * model costs 3 USD per million input tokens and 15 USD per million output tokens, so three and one token are 24
 * microdollars.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { anthropicError, anthropicReply, anthropicText } from '../support/anthropic-upstream.js';
import { LedgerReader } from '../support/ledger-reader.js';
import { describeOnEmbedded } from '../support/database.js';
import type { RawClient } from '../support/raw-client.js';
import type { JsonBody } from '../support/recorded-request.js';
import { frame, HANG, json, neverAnswers, sse, type Answer, type Script } from '../support/upstream-answers.js';
import { ask, askStream, delta, END, MessagesBench, OPEN, START } from './messages-bench.js';

const IDLE_MS = 600;
const TOTAL_MS = 2_500;
const MICRO = 1e-6;
/** Forty characters: ten tokens by estimate. */
const FORTY = 'forty characters are ten tokens or so...';
/** Estimated tokens of `Hello`: its bytes by four, a frame, and one. */
const ESTIMATED_PROMPT = '7';
/** 67 tokens of prompt and the 100 of `max_tokens`. */
const BOUND_MICRO = 67 * 3 + 100 * 15;
const BOUND = '0.001701000000';
const LEAVE = (client: RawClient): void => client.destroy();

interface Ending {
  readonly body: object;
  readonly answer: Answer | Script;
  /**
   * The content received before the client leaves; absent: it stays. Empty: it leaves once the request is upstream.
   */
  readonly leavesAfter?: string;
  readonly is: object;
  /** Microdollars. */
  readonly costs: number;
  readonly operator?: number;
}

const native = ask('test/native');
const stream = askStream('test/native');
const chat = ask('test/translated');
const PING = frame('ping', { type: 'ping' });
const ERROR = frame('error', anthropicError('overloaded_error', 'x'));
async function* startAndPings(): AsyncGenerator<string> {
  yield START;
  for (let ping = 0; ping < 100; ping++) {
    await pause(20);
    yield PING;
  }
}
/** In chunks of their own. */
const apart =
  (one: string, other: string): Script =>
  () =>
    sse([one, new Promise((resolve) => setTimeout(resolve, 50)), other]);
const usage = (figures: object): object => ({ usage: figures });

const ENDINGS: Record<string, Ending> = {
  'a whole reply': { body: native, answer: anthropicText('Hi.'), is: { outcome: 'completed', prompt_tokens: '12', completion_tokens: '7', finish_reason: 'end-turn', upstream_id: 'msg_loopback' }, costs: 141 },
  'a stream': { body: stream, answer: anthropicText('Hi.'), is: { outcome: 'completed', streamed: true, native_finish_reason: 'end_turn' }, costs: 141 },
  'a refusal': { body: stream, answer: anthropicReply([], { stopReason: 'refusal' }), is: { outcome: 'completed', finish_reason: 'refusal' }, costs: 141 },
  'every class of tokens': {
    body: native,
    answer: anthropicReply([{ type: 'text', text: 'x' }], usage({ input_tokens: 1, cache_read_input_tokens: 10, cache_creation_input_tokens: 5, output_tokens: 1 })),
    is: { cache_read_tokens: '10', cache_write_tokens: '5' },
    costs: 3 + 30 + 15 + 15,
  },
  'an error before any word': { body: native, answer: json(anthropicError('overloaded_error', 'x'), 529), is: { outcome: 'provider-overloaded', model: null, attempts: [expect.objectContaining({ status: 529 })] }, costs: 0 },
  'a provider that is not paid': { body: native, answer: json(anthropicError('billing_error', 'x'), 402), is: { outcome: 'provider-payment-required', attempts: [expect.objectContaining({ status: 402 })] }, costs: 0 },
  'a provider that has ended its reply and stays': {
    body: stream,
    answer: sse([OPEN + delta('x') + END, HANG]),
    is: { outcome: 'completed' },
    costs: 84,
  },
  'silence before any word of a stream': {
    body: stream,
    answer: sse([START, HANG]),
    is: { outcome: 'provider-timed-out', model: null },
    costs: 0,
    operator: 24,
  },
  'no word until the limit of the first': {
    body: askStream('test/impatient'),
    answer: () => sse(startAndPings()),
    is: { outcome: 'provider-timed-out', model: null },
    costs: 0,
    operator: 24,
  },
  'an error before any word of a stream': {
    body: stream,
    answer: apart(START, ERROR),
    is: { outcome: 'provider-overloaded', model: null },
    costs: 0,
    operator: 24,
  },
  'an error after the first words': {
    body: stream,
    answer: apart(OPEN + delta(FORTY), ERROR),
    is: { outcome: 'provider-overloaded', model: 'test/native', completion_tokens: '10', is_estimated: true },
    costs: 0,
    operator: 9 + 150,
  },
  'a stream that breaks off': { body: stream, answer: sse([OPEN + delta(FORTY)]), is: { outcome: expect.stringMatching(/^provider-(?:malformed-reply|unreachable)$/), completion_tokens: '10' }, costs: 0, operator: 9 + 150 },
  'a client gone before the headers': { body: stream, answer: neverAnswers(), leavesAfter: '', is: { outcome: 'caller-gone', model: 'test/native', is_estimated: true, attempts: [expect.objectContaining({ status: 499 })] }, costs: 21 },
  'a client gone in a stream': { body: stream, answer: sse([OPEN + delta(FORTY), HANG]), leavesAfter: FORTY, is: { outcome: 'caller-gone', completion_tokens: '10', is_estimated: true }, costs: 9 + 150 },
  'a client gone in a whole reply': { body: native, answer: { headers: { 'content-type': 'application/json' }, body: ['{"id":"msg', HANG] }, leavesAfter: '', is: { outcome: 'caller-gone', is_estimated: true, prompt_tokens: '7' }, costs: 21 },
  'silence in a stream': { body: stream, answer: sse([OPEN + delta(FORTY), HANG]), is: { outcome: 'provider-timed-out', is_estimated: true }, costs: 0, operator: 9 + 150 },
  'the whole time without a word': { body: native, answer: neverAnswers(), is: { outcome: 'timed-out', is_estimated: true, prompt_tokens: '7' }, costs: 21 },
  'no usage at all': {
    body: chat,
    answer: json({ id: 'c', object: 'chat.completion', model: 'm', choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: FORTY } }] }),
    is: { outcome: 'completed', is_estimated: true, completion_tokens: '10', prompt_tokens: expect.stringMatching(/^[1-9]/) },
    costs: NaN,
  },
  'usage that cannot be': { body: native, answer: anthropicReply([{ type: 'text', text: 'x' }], usage({ input_tokens: -5, output_tokens: 2 })), is: { prompt_tokens: ESTIMATED_PROMPT, completion_tokens: '2', is_estimated: true }, costs: Number(ESTIMATED_PROMPT) * 3 + 30 },
  'no word and no reason': { body: native, answer: anthropicReply([], { stopReason: '', ...usage({ output_tokens: 0 }) }), is: { outcome: 'provider-malformed-reply', completion_tokens: '0' }, costs: 0, operator: 36 },
  'more than was held, and no more than can be': { body: native, answer: anthropicReply([{ type: 'text', text: 'x' }], usage({ input_tokens: 2_000 })), is: { is_over_bound: true, prompt_tokens: '2000', bound: BOUND }, costs: 6_000 + 105 },
  // The last test: its observation widens the bounds of all later calls.
  'more than was held': { body: native, answer: anthropicReply([{ type: 'text', text: 'x' }], usage({ output_tokens: 5_000 })), is: { is_over_bound: true, completion_tokens: '5000', bound: BOUND }, costs: BOUND_MICRO, operator: 36 + 75_000 - BOUND_MICRO },
}; // oxfmt-ignore

describeOnEmbedded('settling', (database) => {
  let bench: MessagesBench;
  let ledger: LedgerReader;
  beforeAll(async () => {
    bench = await MessagesBench.start(database, {
      variables: { FAIRLEAD_TIMEOUTS: `idle=${IDLE_MS}ms,total=${TOTAL_MS}ms`, FAIRLEAD_INITIAL_CREDITS: '1000' },
    });
    ledger = new LedgerReader(bench.gateway);
  }, 240_000);
  afterAll(() => bench?.close());

  const amount = (text: string): number => Math.round(Number(text) / MICRO);

  it.each(Object.entries(ENDINGS))('%s', async (_, { body, answer, leavesAfter, is, costs, operator = 0 }) => {
    const upstream = JSON.stringify(body).includes('translated') ? bench.openai : bench.anthropic;
    upstream.script(answer);
    const before = await ledger.account();
    const arrival = upstream.request();
    const client = await bench.open(body);
    const record = await arrival;
    if (leavesAfter === undefined) await client.response().catch(() => undefined);
    else {
      if (leavesAfter !== '') await client.until(leavesAfter);
      LEAVE(client);
      await record.closed;
    }
    await ledger.rest();
    const row = await ledger.latest();
    expect(row).toMatchObject({ requested_model: expect.stringMatching(/^test\//), is_recovered: false, ...is });
    expect(row.upstream_model).toBe(row.model && row.model.replace('test/', 'upstream-'));
    if (!Number.isNaN(costs)) expect(amount(row.cost)).toBe(costs);
    else expect(amount(row.cost)).toBeGreaterThan(150);
    expect(amount(row.operator_cost)).toBe(operator);
    expect(await ledger.entriesOf(row.id)).toEqual([{ kind: 'charge', amount: row.cost }]);
    const after = await ledger.account();
    expect(after.held).toBe(0);
    expect(after.used - before.used).toBeCloseTo(Number(row.cost), 9);
    expect(await ledger.openHolds()).toBe(0);
  });

  it('prints what it charges, in the reply and in the stream', async () => {
    bench.anthropic.script(anthropicText('Hi.'));
    const whole = (await (await bench.gateway.messages(native)).json()) as JsonBody;
    expect(whole.usage).toMatchObject({ cost: 0.000141, is_byok: false });
    expect(whole.usage.cost_details).toEqual({
      upstream_inference_cost: null,
      upstream_inference_prompt_cost: 0.000036,
      upstream_inference_completions_cost: 0.000105,
      server_tool_cost: 0,
    });
    expect(Number((await ledger.generation(whole.id)).cost)).toBe(0.000141);
    const text = await (await bench.gateway.messages(stream)).text();
    const end = JSON.parse(/"type":"message_delta".*/.exec(text)![0].replace(/^/, '{'));
    expect(end.usage).toMatchObject({ cost: 0.000141 });
  });

  it('has committed the row before the last byte is sent', async () => {
    bench.anthropic.script(sse([OPEN + delta('x'), END]));
    for (let round = 0; round < 5; round++) {
      const response = await bench.gateway.messages(stream);
      await response.text();
      expect((await ledger.generation(response.headers.get('x-generation-id')!)).outcome).toBe('completed');
    }
  });

  it('keeps what groups records, and no content of the request or the reply', async () => {
    bench.anthropic.script(anthropicText('a-word-of-the-reply'));
    const body = {
      ...native,
      messages: [{ role: 'user', content: 'a-word-of-the-prompt' }],
      session_id: 'the-session',
      user: 'the \u0000user\ud83d\ude00',
      trace: { trace_id: 'the-trace', depth: 2 },
    };
    const { id } = (await (await bench.gateway.messages(body)).json()) as JsonBody;
    const row = await ledger.generation(id);
    expect(row).toMatchObject({
      session_id: 'the-session',
      end_user: 'the \ufffduser\ud83d\ude00',
      trace: { trace_id: 'the-trace', depth: 2 },
    });
    expect(JSON.stringify(row)).not.toMatch(/a-word-of/);
  });

  it('names the prices it charged', async () => {
    await ledger.rest();
    const row = await ledger.latest();
    const [version] = await ledger.query('select pricing from price_versions where id = $1', [row.price_version]);
    expect(version.pricing).toEqual({ completion: '0.000015', prompt: '0.000003', tiers: [] });
  });
});
