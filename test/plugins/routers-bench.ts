import { CatalogStore } from '../../src/catalog/catalog-store.js';
import { explainDecision, type ExplainedDecision } from '../../src/core/routing/decision/explain-decision.js';
import { DecisionLog } from '../../src/routing/decision-log.js';
import { MANAGEMENT_KEY } from '../support/app.js';
import { joinChunks, readChunks } from '../support/chat-stream.js';
import type { TestDatabase } from '../support/database.js';
import type { JsonBody } from '../support/recorded-request.js';
import { readMessagesEvents } from '../support/sse.js';
import { json } from '../support/upstream-answers.js';
import { buildMessage } from '../http/messages-bench.js';
import { LoopBench, TWO_ROUTES, answers, type Route } from '../tools/faults-bench.js';

export const FACES = TWO_ROUTES.flatMap((route) => [false, true].map((stream) => ({ route, stream })));
export const CODE = 'Write a Python function that sorts a list of dictionaries by a field.';
export const CHAT = 'hi, how are you?';

/** USD per million tokens. */
const PRICES = { cheap: [1, 2], mid: [4, 8], best: [20, 60] } as const;
const SCORES = { cheap: [0.1, 0.2], mid: [0.4, 0.5], best: [0.6, 0.9] } as const;
export type Scored = keyof typeof PRICES;

/** Cost of an answer of one of them in millionths of a USD, with 12 prompt and 7 completion tokens. */
export const costOf = (name: Scored): number => 12 * PRICES[name][0] + 7 * PRICES[name][1];

const score = (value: number) => ({ value, source: 'a bench, 2026-11-25' });
const scored = Object.keys(PRICES).map((key) => {
  const name = key as Scored;
  const [quality, coding] = SCORES[name];
  const [prompt, completion] = PRICES[name].map(String);
  return {
    id: `test/${name}`,
    model: { scores: { quality: score(quality), coding: score(coding) } },
    endpoint: { pricing: { prompt, completion } },
  };
});
const free = ['one', 'two', 'three'].map((name) => ({
  id: `test/${name}:free`,
  endpoint: { free: true, pricing: undefined },
}));

/** The models of the auto-router, the pareto-router and the free router at one double, beside the shipped catalog. */
export class RoutersBench {
  private conversations = 0;

  private constructor(readonly loop: LoopBench) {}

  static async start(database: TestDatabase): Promise<RoutersBench> {
    return new RoutersBench(await LoopBench.start(database, { models: [...scored, ...free] }));
  }

  /** Clears the recorded requests; the named models fail with a fault. */
  begin(...failing: readonly string[]): void {
    this.loop.begin(answers('unused'));
    this.loop.upstreams.adviser.script((request, index) => {
      const slug = String(request.json.model).replace('upstream-', '');
      if (!failing.includes(slug)) return answers(`I am ${slug}.`)(request, index);
      return json({ type: 'error', error: { type: 'overloaded_error', message: 'scripted' } }, 529);
    });
  }

  /** The called models, in order. */
  get called(): readonly string[] {
    return this.loop.upstreams.adviser.requests.map(({ json: body }) => body.model.replace('upstream-', 'test/'));
  }

  private post(path: string, body: object, key: string, headers: Record<string, string> = {}): Promise<Response> {
    return this.loop.gateway.request(path, {
      method: 'POST',
      key,
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  }

  body(text: string, fields: object): JsonBody {
    return this.loop.body({ tools: undefined, messages: [{ role: 'user', content: text }], ...fields });
  }

  /**
   * A reply with its metadata, in a common form of both faces. Each is a separate conversation unless it names one.
   */
  async ask(route: Route, text: string, fields: object, key: string): Promise<JsonBody> {
    const body = this.body(`${text} (${this.conversations++})`, fields);
    const response = await this.post(route, body, key, { 'x-router-metadata': 'enabled' });
    const raw = await response.text();
    const shown = { status: response.status, id: response.headers.get('x-generation-id') };
    if (raw.startsWith('{')) return { ...shown, ...JSON.parse(raw), id: shown.id };
    if (route !== '/messages') {
      const chunks = readChunks(raw);
      return {
        ...shown,
        model: chunks[0]!['model'],
        ...joinChunks(chunks),
        ...lastWith(chunks, 'router_metadata'),
        id: shown.id,
      };
    }
    const events = readMessagesEvents(raw);
    return { ...shown, ...buildMessage(events), ...lastWith(events, 'router_metadata'), id: shown.id };
  }

  explain(text: string, fields: object, key: string): Promise<JsonBody> {
    return this.explainAt('/routing/explain', text, fields, key);
  }

  explainSeeded(text: string, fields: object, key: string, seed: string): Promise<JsonBody> {
    return this.explainAt(`/routing/explain?seed=${encodeURIComponent(seed)}`, text, fields, key);
  }

  private async explainAt(path: string, text: string, fields: object, key: string): Promise<JsonBody> {
    const response = await this.post(path, this.body(text, fields), key);
    const { data, error } = (await response.json()) as JsonBody;
    return { status: response.status, ...data, error };
  }

  async count(text: string, fields: object, key: string): Promise<JsonBody> {
    const { max_tokens: _max, ...body } = this.body(text, fields);
    const response = await this.post('/messages/count_tokens', body, key);
    return { status: response.status, ...((await response.json()) as JsonBody) };
  }

  async manage(path: string, body: object): Promise<JsonBody> {
    const response = await this.post(path, body, MANAGEMENT_KEY);
    return { status: response.status, ...((await response.json()) as JsonBody) };
  }

  /** A key whose guardrail allows only these models. */
  async keyFor(...allowed: readonly string[]): Promise<string> {
    return (await this.loop.gateway.guardedKey({ allowed_models: allowed })).key;
  }

  /** The stored decision of a generation, reproduced. */
  async decision(id: string): Promise<ExplainedDecision & { readonly bytes: number }> {
    const { app } = this.loop.gateway.gateway;
    await app.get(DecisionLog, { strict: false }).flush();
    const rows = await this.loop.ledger.query('select decision from route_decisions where generation_id = $1', [id]);
    const text: string = rows[0]!.decision;
    const catalog = app.get(CatalogStore, { strict: false }).current;
    return { ...explainDecision(text, catalog), bytes: Buffer.byteLength(text) };
  }

  /** The charge of a generation, in millionths of a USD; nothing is held by then. */
  async paid(id: string): Promise<number> {
    return (await this.loop.row(id)).cost;
  }

  close(): Promise<void> {
    return this.loop.close();
  }
}

const lastWith = (events: readonly JsonBody[], field: string): object => {
  const last = events.findLast((event) => field in event);
  return last ? { [field]: last[field] } : {};
};
