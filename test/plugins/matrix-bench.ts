import { CatalogStore } from '../../src/catalog/catalog-store.js';
import { explainDecision, type ExplainedDecision } from '../../src/core/routing/decision/explain-decision.js';
import { DecisionLog } from '../../src/routing/decision-log.js';
import { buildMessage } from '../http/messages-bench.js';
import { anthropicText, anthropicToolUse } from '../support/anthropic-upstream.js';
import { joinChunks, readChunks } from '../support/chat-stream.js';
import type { TestDatabase } from '../support/database.js';
import { SEARCH_DOUBLES } from '../support/engines/search-engines.js';
import { openaiText, openaiTools } from '../support/openai-upstream.js';
import type { JsonBody, RecordedRequest } from '../support/recorded-request.js';
import type { RawClient } from '../support/raw-client.js';
import { readMessagesEvents } from '../support/sse.js';
import { json, type Script } from '../support/upstream-answers.js';
import { startUpstream, type Upstream } from '../support/upstreams.js';
import { CALL, LoopBench, TWO_ROUTES, type Route } from '../tools/faults-bench.js';
import { ANALYSIS, BROUGHT, CASES, PAGE, type Outcome, type PluginCase, type ModelTurn } from './matrix-cases.js';

/** Each plugin on each face that has it, whole and streamed. */
export const CELLS = CASES.flatMap((plugin) =>
  (plugin.routes ?? TWO_ROUTES).flatMap((route) =>
    [false, true].map((stream) => ({ plugin, route, stream, id: plugin.id })),
  ),
);

/** The endpoints of `test/best`, and that of `test/next`. */
export type AttemptSlot = 'first' | 'second' | 'next';

/** Cost of one call, in millionths of a USD: 12 prompt and 7 completion tokens. */
export const COSTS: Readonly<Record<AttemptSlot, number>> = {
  first: CALL,
  second: 10_000 * CALL,
  next: 12 * 2 + 7 * 10,
};
/** Slugs of their providers, and of the provider of panels, judges and guard models. */
export const SLUGS = { first: 'p3', second: 'p4', next: 'p5', asides: 'p2' };
const FEE = 0.2;
/** What providers do with an abandoned call. */
const STOPS = { stream: 'stops', whole: 'stops' };

const FAILS = json({ type: 'error', error: { type: 'api_error', message: 'scripted' } }, 500);
const score = (value: number): object => ({ value, source: 'a bench, 2026-11-25' });
/** A context too short for a long conversation, without input of files. */
const NARROW = { context_length: 9_000, max_completion_tokens: 2_000, input_modalities: ['text'] };

const asAnthropic = (turn: ModelTurn): Script =>
  'text' in turn ? anthropicText(turn.text) : anthropicToolUse({ name: turn.call, input: turn.input });
const asOpenai = (turn: ModelTurn): Script =>
  'text' in turn ? openaiText(turn.text) : openaiTools({ name: turn.call, input: turn.input });
export const textOf = (request: RecordedRequest | undefined): string => JSON.stringify(request?.json?.messages);

/** A replaced answer of a double, usually one that never arrives. */
export interface Hanging {
  readonly at: 'first' | 'engine' | 'pages' | 'adviser';
  /** Index of the request to it. */
  readonly index: number;
  readonly answer: Script;
}

/** Replaced texts of the upstreams of one request. */
export interface Texts {
  /** Text of a found page, of a fetched one, and of a model of a panel. */
  readonly found?: string;
  readonly fetched?: string;
  readonly panel?: string;
}

/**
 * All plugins with strict doubles: `test/best` has two endpoints of Anthropic's format, whose providers lack context
 * management, the second one expensive; `test/next`, cheaper and of lower quality, has one of chat completions. The
 * models of panels, their judge and the guard model share a double.
 */
export class MatrixBench {
  private readonly answering: Readonly<Record<AttemptSlot, Upstream>>;

  private constructor(
    readonly loop: LoopBench,
    first: Upstream,
    second: Upstream,
    next: Upstream,
  ) {
    this.answering = { first, second, next };
  }

  static async start(database: TestDatabase): Promise<MatrixBench> {
    const [first, second, next] = await Promise.all([
      startUpstream('anthropic'),
      startUpstream('anthropic'),
      startUpstream('openai'),
    ]);
    const at = ({ url }: Upstream) =>
      ({ url, dialect: 'anthropic-messages', aborts: STOPS, quirks: { omit: ['context_management'] } }) as const;
    const loop = await LoopBench.start(database, {
      plugins: { moderation: { engine: 'model', model: 'test/guard' } },
      variables: { FAIRLEAD_BYOK_FEE_PERCENT: String(FEE * 100) },
      models: [
        {
          id: 'test/best',
          at: [at(first), at(second)],
          model: { ...NARROW, scores: { quality: score(0.9), coding: score(0.9) } },
        },
        {
          id: 'test/next',
          at: [{ url: next.url, dialect: 'openai-chat', aborts: STOPS }],
          model: { ...NARROW, scores: { quality: score(0.4), coding: score(0.4) } },
          endpoint: { pricing: { prompt: '2', completion: '10' } },
        },
        ...['one', 'two', 'judge', 'guard'].map((name) => ({ id: `test/${name}` })),
      ],
    });
    return new MatrixBench(loop, first, second, next);
  }

  /** Clears the recorded requests, and makes these endpoints fail. @param texts replace those of the upstreams */
  begin(plugin: PluginCase, failing: readonly AttemptSlot[] = [], texts: Texts = {}, hanging?: Hanging): void {
    this.loop.begin(anthropicText('unused'));
    const { engine, pages, adviser } = this.loop.upstreams;
    const scripts = (at: Hanging['at'] | AttemptSlot, script: Script): Script =>
      hanging?.at === at
        ? (request, index) => (index === hanging.index ? hanging.answer : script)(request, index)
        : script;
    const { found = BROUGHT.found, fetched = BROUGHT.fetched, panel = BROUGHT.panel } = texts;
    engine.script(scripts('engine', () => SEARCH_DOUBLES.exa.answer([{ url: PAGE, title: 'One', text: found }])));
    pages.script(scripts('pages', () => ({ headers: { 'content-type': 'text/plain' }, body: [fetched] })));
    adviser.script(
      scripts('adviser', (request, index) => {
        const slug = String(request.json.model).replace('upstream-', '');
        const words = { one: panel, two: 'At ten.', judge: ANALYSIS, guard: 'safe' }[slug]!;
        return anthropicText(words)(request, index);
      }),
    );
    for (const [slot, upstream] of Object.entries(this.answering)) {
      upstream.requests.length = 0;
      const format = slot === 'next' ? asOpenai : asAnthropic;
      upstream.script(
        scripts(slot as AttemptSlot, (request, index) =>
          failing.includes(slot as AttemptSlot)
            ? FAILS
            : format(plugin.answer(textOf(request), pages.origin))(request, index),
        ),
      );
    }
  }

  /** The number of calls to each answering endpoint. */
  get called(): Readonly<Record<AttemptSlot, number>> {
    const { first, second, next } = this.answering;
    return { first: first.requests.length, second: second.requests.length, next: next.requests.length };
  }

  /** Requests to consulted models, engines and pages. */
  get asides(): readonly RecordedRequest[] {
    const { adviser, engine, pages } = this.loop.upstreams;
    return [adviser, engine, pages].flatMap(({ requests }) => requests);
  }

  /** A request on a bare socket, that can be left, and the request to the double that hangs. */
  async hang(
    plugin: PluginCase,
    { route, stream, hanging }: { readonly route: Route; readonly stream: boolean; readonly hanging: Hanging },
    key: string,
  ): Promise<{ readonly client: RawClient; readonly record: RecordedRequest }> {
    this.begin(plugin, [], {}, hanging);
    const { at, index } = hanging;
    const client = await this.loop.open(route, this.body(plugin, route, { stream }), key);
    const record = await (at === 'first' ? this.answering.first : this.loop.upstreams[at]).request(index);
    return { client, record };
  }

  requestsOf(slot: AttemptSlot): readonly RecordedRequest[] {
    return this.answering[slot].requests;
  }

  /** All that was sent upstream, as one text. */
  get left(): string {
    const { main, second } = this.loop.upstreams;
    const requests = [...this.asides, ...Object.values(this.answering).flatMap((one) => one.requests)];
    return [...requests, ...main.requests, ...second.requests].map(({ rawBody }) => rawBody.toString()).join('\n');
  }

  body(plugin: PluginCase, route: Route, fields: JsonBody = {}, words = 'What now?'): JsonBody {
    return this.loop.body({ model: 'test/best', tools: undefined, ...plugin.fields(route, words), ...fields });
  }

  /** @returns the outcome in a common form of both faces */
  async ask(plugin: PluginCase, route: Route, body: JsonBody, key: string): Promise<Outcome> {
    const response = await this.post(route, body, key, { 'x-router-metadata': 'enabled' });
    const text = await response.text();
    const id = response.headers.get('x-generation-id');
    const reply = { ...read(route, text), status: response.status, id, text };
    const pipeline: JsonBody[] = reply.metadata?.pipeline ?? [];
    const last = Object.values(this.answering).flatMap(({ requests }) => requests.slice(-1));
    const sent = textOf(last.sort((one, other) => one.openedAt - other.openedAt).at(-1));
    return { reply, sent, stages: pipeline.filter(({ name }) => name === plugin.id) };
  }

  async explain(route: Route, body: JsonBody, key: string): Promise<JsonBody> {
    const format = route === '/messages' ? 'messages' : 'chat';
    return (await this.post(`/routing/explain?format=${format}`, body, key)).json();
  }

  /** Charge of a generation in millionths of a USD, after its hold has been settled. */
  async paid(id: string): Promise<number> {
    return (await this.loop.row(id)).cost;
  }

  /** All charges of the account so far. */
  async used(): Promise<number> {
    await this.loop.ledger.rest();
    const { used, held } = await this.loop.ledger.account();
    expect([held, await this.loop.ledger.openHolds()]).toEqual([0, 0]);
    return used;
  }

  /** The stored decision of a generation, reproduced. */
  async decision(id: string): Promise<ExplainedDecision> {
    const { app } = this.loop.gateway.gateway;
    await app.get(DecisionLog, { strict: false }).flush();
    const rows = await this.loop.ledger.query('select decision from route_decisions where generation_id = $1', [id]);
    expect(rows).toHaveLength(1);
    return explainDecision(rows[0].decision, app.get(CatalogStore, { strict: false }).current);
  }

  /** The decision of each model that was consulted for it, with its purpose. */
  async consulted(id: string): Promise<readonly (ExplainedDecision & { readonly purpose: string })[]> {
    const { app } = this.loop.gateway.gateway;
    await app.get(DecisionLog, { strict: false }).flush();
    const rows: readonly JsonBody[] = await this.loop.ledger.query(
      'select purpose, decision from consulted_decisions where generation_id = $1 order by place',
      [id],
    );
    const catalog = app.get(CatalogStore, { strict: false }).current;
    return rows.map(({ purpose, decision }) => ({ purpose, ...explainDecision(decision, catalog) }));
  }

  /** A key with a guardrail. */
  async guarded(guardrail: object): Promise<string> {
    const { key } = await this.loop.gateway.guardedKey(guardrail);
    return key;
  }

  /** A key with its own credentials, whose texts begin with the slugs of their providers. */
  async owning(...slugs: readonly string[]): Promise<string> {
    const { key, hash } = await this.loop.gateway.newKey();
    for (const provider of slugs) {
      await this.loop.gateway.manage('POST', '/byok', {
        key: `${provider}-own`,
        provider,
        allowed_api_key_hashes: [hash],
      });
    }
    return key;
  }

  async close(): Promise<void> {
    await this.loop.close();
    await Promise.all(Object.values(this.answering).map((upstream) => upstream.close()));
  }

  private post(path: string, body: object, key: string, headers: Record<string, string> = {}): Promise<Response> {
    return this.loop.gateway.request(path, {
      method: 'POST',
      key,
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  }
}

/** The cost of a request that one endpoint answered, in millionths of a USD. */
export const costOf = ({ calls = 1, consulted = [], tools = 0 }: PluginCase, slot: AttemptSlot): number =>
  calls * COSTS[slot] + consulted.length * CALL + tools;

/** Cost with the caller's own credentials, for the answer and for all consulted models. */
export const ownCostOf = ({ calls = 1, consulted = [], tools = 0 }: PluginCase): number =>
  FEE * (calls * COSTS.first + consulted.length * CALL) + tools;

/** A reply of either face, whole or streamed: its text, citations and metadata. */
function read(route: Route, text: string): JsonBody {
  if (text.startsWith('{')) {
    const body = JSON.parse(text);
    return { ...body, ...view(body.choices?.[0].message ?? body), metadata: body.router_metadata };
  }
  const events = route === '/messages' ? readMessagesEvents(text) : readChunks(text);
  const metadata = events.findLast((event) => 'router_metadata' in event)?.router_metadata;
  if (route !== '/messages') {
    const joined = joinChunks(events);
    return { ...joined, model: events[0]!.model, ...view(joined.message), metadata };
  }
  const delta = events.find(({ type }) => type === 'message_delta')!;
  const { annotations, context_management } = delta;
  return { ...buildMessage(events), ...view(buildMessage(events)), annotations, context_management, metadata };
}

function view({ content, annotations = [] }: JsonBody): JsonBody {
  if (!Array.isArray(content)) {
    const cited = annotations.flatMap(({ url_citation: citation }: JsonBody) => citation?.url ?? []);
    return { shownText: content, cited, annotations };
  }
  const shownText = content.map((block: JsonBody) => block.text ?? '').join('');
  const cited = content.flatMap(({ citations }: JsonBody) => (citations ?? []).map(({ url }: JsonBody) => url));
  return { shownText, cited, annotations };
}
