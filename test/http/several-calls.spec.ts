/**
 * Checks that a generation of several calls is one charge, one row, one log line and one routing report, before any
 * feature makes such generations. The application's own use case is taken apart: the test passes the events of the
 * providers to the calls, one answered, one too dear for the key, one abandoned by the caller mid-stream; ledger,
 * metrics and log are the real ones.
 */
import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ExecutionContext } from '@nestjs/common';
import { firstValueFrom, of } from 'rxjs';
import type { Caller } from '../../src/core/caller.js';
import { Cancellation } from '../../src/core/cancellation.js';
import type { ModelEvent } from '../../src/core/conversation/event.js';
import type { ModelRequest } from '../../src/core/conversation/request.js';
import { CallerGone } from '../../src/core/errors.js';
import type { Generation, GenerationStart } from '../../src/core/generation/generation.js';
import type { ModelRun } from '../../src/core/generation/model-run.js';
import { PICO_PER_USD } from '../../src/core/money/credits.js';
import { estimateInputTokens } from '../../src/core/money/estimate.js';
import { measurePrompt } from '../../src/core/money/measure-prompt.js';
import { Admission, type Admitted } from '../../src/inference/billing/admission.js';
import { InferenceInterceptor } from '../../src/faces/common/inference.interceptor.js';
import type { KeptDelivery } from '../../src/faces/common/kept-delivery.js';
import { LedgerRepository } from '../../src/ledger/ledger.repository.js';
import { DecisionLog } from '../../src/routing/decision-log.js';
import { GenerationFactory } from '../../src/routing/generation-factory.js';
import { RoutePlanner } from '../../src/routing/route-planner.js';
import { printGenerationFields } from '../../src/inference/generation-log.js';
import { logReply, requestLog } from '../../src/shared/http/request-log.js';
import { PinoLogger } from '../../src/shared/telemetry/logger.js';
import { Metrics } from '../../src/shared/telemetry/metrics.js';
import { SystemClock } from '../../src/core/time.js';
import { modelRequest } from '../support/model-request.js';
import { catalogOf, startGateway, type TestGateway } from '../support/app.js';
import { LedgerReader } from '../support/ledger-reader.js';
import { describeOnEmbedded } from '../support/database.js';
import type { JsonBody } from '../support/recorded-request.js';

const MICRO = PICO_PER_USD / 1_000_000n;
const REQUEST = modelRequest({
  model: 'test/model',
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Ask several times.' }] }],
  stream: true,
  maxOutputTokens: 10,
});
/** Ten tokens by estimate. */
const FORTY = 'forty characters are ten tokens or so...';

const answered = (inputTokens: number, outputTokens: number): ModelEvent[] => [
  { type: 'reply-start', id: 'theirs' },
  { type: 'usage', usage: { inputTokens, outputTokens } },
  { type: 'reply-end', stop: { unified: 'tool-use', raw: 'tool_use', vendor: 'anthropic' } },
];
const cutShort = (inputTokens: number, text: string): ModelEvent[] => [
  { type: 'reply-start', id: 'theirs too' },
  { type: 'usage', usage: { inputTokens } },
  { type: 'block-start', index: 0, block: { type: 'text' } },
  { type: 'block-delta', index: 0, delta: { type: 'text', text } },
];

describeOnEmbedded('a generation of several calls', (database) => {
  let gateway: TestGateway;
  let ledger: LedgerReader;
  let caller: Caller;
  beforeAll(async () => {
    const at = [{ url: 'http://127.0.0.1:9', dialect: 'anthropic-messages' }] as const;
    gateway = await startGateway(database, {
      catalog: catalogOf({ id: 'test/model', at }, { id: 'test/adviser', at }),
    });
    ledger = new LedgerReader(gateway);
    // The hold of one call, and a thousand microdollars.
    const { hash } = await gateway.newKey({ limit: 0.0015 });
    const [row] = await ledger.query('select account_id, workspace_id from api_keys where hash = $1', [hash]);
    caller = {
      accountId: row.account_id,
      workspaceId: row.workspace_id,
      keyHash: hash,
      kind: 'inference',
      userId: null,
    };
  }, 240_000);
  afterAll(() => gateway?.close());

  const app = () => gateway.gateway.app;
  const counter = async (): Promise<JsonBody> =>
    (
      await ledger.query(`select used, held from spending_windows where scope = 'key' and scope_id = $1`, [
        caller.keyHash,
      ])
    )[0];

  /** As the routes do it. */
  async function begin(): Promise<Generation> {
    const httpRequest: { headers: object; observer?: GenerationStart['observer'] } = {
      headers: { 'x-router-metadata': 'enabled' },
    };
    const context = { switchToHttp: () => ({ getRequest: () => httpRequest }) };
    await firstValueFrom(
      new InferenceInterceptor({} as KeptDelivery).intercept(context as unknown as ExecutionContext, {
        handle: () => of(undefined),
      }),
    );
    const start: GenerationStart = { request: REQUEST, caller, api: 'messages', observer: httpRequest.observer };
    return app().get(GenerationFactory, { strict: false }).create(start);
  }

  async function admit(generation: Generation, abort: Cancellation): Promise<Admitted> {
    const routed = await app().get(RoutePlanner, { strict: false }).plan(REQUEST, caller, []);
    generation.planned(routed, []);
    const payer = { request: REQUEST, caller, guardrails: [], subjects: [] };
    return app().get(Admission, { strict: false }).admit(generation, payer, abort.signal);
  }

  it('is charged, reported and logged as one', async () => {
    const abort = new Cancellation();
    const generation = await begin();
    const log = logOf(generation);
    const { billing, plan, prompt } = await admit(generation, abort);
    const run: ModelRun = { plan, request: REQUEST, prompt, purpose: 'answer' };
    const leg = plan.legs[0]!;
    const answer = (events: readonly ModelEvent[]): boolean => {
      const call = generation.begin(run, leg);
      call.committedAt = performance.now();
      generation.answerWith(call);
      return call.observe(events);
    };
    const more = (micros: bigint) => billing.reserve({ credits: micros * MICRO, byok: 0n });

    expect(answer(answered(10, 2))).toBe(true);
    generation.endCall(generation.answer!, 'completed');
    expect(await more(5_000n)).toBe(false);
    generation.endCall(generation.begin(run, leg), 'untranslatable');
    expect(await more(500n)).toBe(true);
    expect(answer(cutShort(20, FORTY))).toBe(false);
    expect(Number((await counter()).used)).toBe(0);
    await generation.fail(new CallerGone());
    await ledger.rest();

    // 10 and 20 tokens in at 3 USD a million, 2 and an estimated 10 out at 15.
    const cost = 0.000_27;
    expect(generation.calls.map(({ ending, money }) => [ending, money?.bill?.cost])).toEqual([
      ['completed', 60n * MICRO],
      ['untranslatable', undefined],
      ['caller-gone', 210n * MICRO],
    ]);
    expect(generation.bill?.cost).toBe(270n * MICRO);
    expect(Number((await counter()).used)).toBe(cost);
    expect(Number((await counter()).held)).toBe(0);
    expect(await ledger.openHolds()).toBe(0);
    expect((await ledger.entriesOf(generation.id)).map(({ amount }) => Math.abs(Number(amount)))).toEqual([cost]);
    const row = await ledger.generation(generation.id);
    expect(row).toMatchObject({
      outcome: 'caller-gone',
      is_estimated: true,
      upstream_id: 'theirs too',
      model: leg.model.id,
    });
    expect([row.prompt_tokens, row.completion_tokens].map(Number)).toEqual([30, 12]);
    expect(row.attempts.map(({ status }: JsonBody) => status)).toEqual([200, 200]);

    // On errors no endpoint is the selected one.
    const { router_metadata: metadata } = generation.extras as JsonBody;
    expect(metadata).toMatchObject({
      attempt: 2,
      summary: 'available=1',
      attempts: [{ status: 200 }, { status: 200 }],
    });
    expect(log()).toMatchObject({
      level: 'info',
      outcome: 'caller-gone',
      model: leg.model.id,
      provider: 'p0',
    });

    const exposition = await app().get(Metrics, { strict: false }).text();
    const attempts = [
      ...exposition.matchAll(/^fairlead_upstream_attempts_total\{provider="p0",outcome="([a-z-]+)"\} ([1-9]\d*)$/gm),
    ];
    expect(Object.fromEntries(attempts.map(([, outcome, count]) => [outcome, Number(count)]))).toEqual({
      answered: 1,
      aborted: 1,
      untranslatable: 1,
    });
  });

  it('pays for a model that is consulted by its own request, and is reported by the model that answers', async () => {
    const abort = new Cancellation();
    const generation = await begin();
    const log = logOf(generation);
    const { billing, plan, prompt } = await admit(generation, abort);
    const long = { role: 'user', content: [{ type: 'text', text: 'What would you do? '.repeat(20) }] } as const;
    const request: ModelRequest = { ...REQUEST, model: 'test/adviser', messages: [long] };
    const routed = await app().get(RoutePlanner, { strict: false }).plan(request, caller, []);
    const adviserRun: ModelRun = { plan: routed.plan, request, prompt: measurePrompt(request), purpose: 'advisor' };
    const ask = (run: ModelRun, events: readonly ModelEvent[]): void => {
      const call = generation.begin(run, run.plan.legs[0]!);
      call.committedAt = performance.now();
      generation.answerWith(call);
      call.observe(events);
      generation.endCall(call, 'completed');
    };

    const leg = plan.legs[0]!;
    expect(await billing.reserve({ credits: 500n * MICRO, byok: 0n })).toBe(true);
    // The adviser's provider reports no usage.
    ask(adviserRun, [
      { type: 'reply-start' },
      { type: 'block-start', index: 0, block: { type: 'text' } },
      { type: 'block-delta', index: 0, delta: { type: 'text', text: FORTY } },
    ]);
    expect([generation.answer, generation.phase]).toEqual([undefined, 'calling']);
    ask({ plan, request: REQUEST, prompt, purpose: 'answer' }, answered(10, 2));
    await generation.end('completed');
    await ledger.rest();

    const estimated = estimateInputTokens(request);
    expect(estimated).toBeGreaterThan(2 * estimateInputTokens(REQUEST));
    expect(generation.bill?.cost).toBe(BigInt(3 * (estimated + 10) + 15 * 12) * MICRO);
    const row = await ledger.generation(generation.id);
    expect(row).toMatchObject({ model: 'test/model', outcome: 'completed', upstream_id: 'theirs', is_estimated: true });
    expect([row.prompt_tokens, row.completion_tokens].map(Number)).toEqual([estimated + 10, 12]);
    expect(row.attempts.map(({ model }: JsonBody) => model)).toEqual(['test/adviser', 'test/model']);
    expect(generation.extras).toMatchObject({
      router_metadata: { attempt: 2, summary: 'available=1, selected=Provider p0' },
    });
    expect(log()).toMatchObject({ outcome: 'completed', model: 'test/model' });
    await app().get(DecisionLog, { strict: false }).flush();
    const [{ decision }] = await ledger.query('select decision from route_decisions where generation_id = $1', [
      generation.id,
    ]);
    // Calls of the stored plan: a consulted model has another one.
    expect(JSON.parse(decision).calls).toEqual([[leg.tag, 200]]);
  });

  it('that made no call costs nothing and leaves nothing', async () => {
    const before = await counter();
    const abort = new Cancellation();
    const generation = await begin();
    const { plan, prompt } = await admit(generation, abort);
    const run: ModelRun = { plan, request: REQUEST, prompt, purpose: 'answer' };
    generation.endCall(generation.begin(run, plan.legs[0]!), 'untranslatable');
    await generation.fail(new CallerGone());
    await ledger.rest();
    expect(await counter()).toEqual(before);
    expect(await ledger.generation(generation.id)).toBeUndefined();
  });

  it('may reserve for several calls at once', async () => {
    const generation = await begin();
    const { billing } = await admit(generation, new Cancellation());
    const take = jest.spyOn(app().get(LedgerRepository, { strict: false }), 'take');
    const more = { credits: 100n * MICRO, byok: 0n };
    const bound = async (): Promise<number> =>
      Number((await ledger.query('select bound from holds where generation_id = $1', [generation.id]))[0].bound);
    const before = await bound();
    expect(await Promise.all([billing.reserve(more), billing.reserve(more)])).toEqual([true, true]);
    expect(await bound()).toBeCloseTo(before + 0.000_2, 9);
    // No statement failed and was sent again member by member.
    await expect(Promise.all(take.mock.results.map(({ value }) => value))).resolves.toHaveLength(2);
    take.mockRestore();
    await generation.fail(new CallerGone());
    await ledger.rest();
  });

  it('may use more than one reply can: each call is believed by itself', async () => {
    const generation = await begin();
    const { plan, prompt } = await admit(generation, new Cancellation());
    const leg = plan.legs[0]!;
    const inputTokens = 3 * leg.endpoint.contextLength;
    for (let step = 0; step < 2; step++) {
      const call = generation.begin({ plan, request: REQUEST, prompt, purpose: 'answer' }, leg);
      call.committedAt = performance.now();
      generation.answerWith(call);
      call.observe(answered(inputTokens, 1));
      generation.endCall(call, 'completed');
    }
    await generation.end('completed');
    await ledger.rest();
    const row = await ledger.generation(generation.id);
    expect([Number(row.prompt_tokens), row.is_over_bound]).toEqual([2 * inputTokens, true]);
  });
});

/** The log line of a request with this generation, once it has ended. */
function logOf(generation: Generation): () => JsonBody {
  const lines: string[] = [];
  const logger = new PinoLogger({ level: 'info', destination: { write: (line) => void lines.push(line) } });
  const response = Object.assign(new EventEmitter(), {
    setHeader: () => undefined,
    headersSent: true,
    statusCode: 200,
  });
  requestLog({ logger, metrics: new Metrics(), clock: new SystemClock() }, printGenerationFields)(
    { method: 'POST', url: '/api/v1/messages' } as IncomingMessage,
    response as unknown as ServerResponse<IncomingMessage> & { req: IncomingMessage },
  );
  logReply(response as unknown as ServerResponse, generation);
  return () => {
    response.emit('close');
    return JSON.parse(lines[0]!);
  };
}
