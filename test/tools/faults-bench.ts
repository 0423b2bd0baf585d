import { BytesInFlight } from '../../src/shared/queues/bytes-in-flight.js';
import { UnseenCalls } from '../../src/routing/unseen-calls.js';
import { anthropicReply, anthropicText, anthropicToolUse } from '../support/anthropic-upstream.js';
import {
  extendedCatalogOf,
  startGateway,
  type CatalogEntry,
  type GatewayOptions,
  type TestGateway,
} from '../support/app.js';
import { joinChunks, readChunks } from '../support/chat-stream.js';
import type { TestDatabase } from '../support/database.js';
import { KEY } from '../support/engines/engine-double.js';
import { SEARCH_DOUBLES } from '../support/engines/search-engines.js';
import { LedgerReader } from '../support/ledger-reader.js';
import { RawClient } from '../support/raw-client.js';
import type { JsonBody, RecordedRequest } from '../support/recorded-request.js';
import { readResponseEvents } from '../support/response-events.js';
import { asCompletion, asResponsesBody } from '../support/response-view.js';
import { readMessagesEvents } from '../support/sse.js';
import type { Answer, Script } from '../support/upstream-answers.js';
import { startUpstream, Upstream } from '../support/upstreams.js';
import { buildMessage } from '../http/messages-bench.js';

/** Millionths of a USD of a completed call with 12 prompt and 7 completion tokens. */
export const CALL = 12 * 3 + 7 * 15;
/** Prices of one use of each tool, in millionths of a USD. */
export const PRICES = { search: 4_000, fetch: 2_000, bash: 1_000 };

export const TOOLS = {
  datetime: { type: 'openrouter:datetime' },
  search: { type: 'openrouter:web_search', parameters: { max_results: 2 } },
  fetch: { type: 'openrouter:web_fetch' },
  bash: { type: 'openrouter:bash', parameters: { engine: 'openrouter' } },
  advisor: { type: 'openrouter:advisor', parameters: { model: 'test/adviser' } },
};
/** A call of each, as the model makes it. */
export const USES = {
  datetime: { name: 'datetime', input: {} },
  search: { name: 'web_search', input: { query: 'boats' } },
  bash: { name: 'bash', input: { command: 'echo hi' } },
  advisor: { name: 'advisor', input: { question: 'And now?' } },
};
export const calls = anthropicToolUse;
export const answers = anthropicText;
export const FOUND = SEARCH_DOUBLES.exa.answer([{ url: 'https://one.example/a', title: 'One', text: 'Found.' }]);
/** Sends a text, and then a call. */
export const answersAndCalls = (text: string, use: { readonly name: string; readonly input: object }): Script =>
  anthropicReply(
    [
      { type: 'text', text },
      { type: 'tool_use', id: 'toolu_0', ...use },
    ],
    { stopReason: 'tool_use' },
  );

/** One after the other; the last one repeats. */
export const inTurn =
  (...scripts: readonly (Script | Answer)[]): Script =>
  (request, index) => {
    const script = scripts[Math.min(index, scripts.length - 1)]!;
    return typeof script === 'function' ? script(request, index) : script;
  };

export const microUsd = (amount: string | number): number => Math.round(Number(amount) * 1e6);

export const ROUTES = ['/messages', '/chat/completions', '/responses'] as const;
export type Route = (typeof ROUTES)[number];

/** Routes of suites whose cases are written for two formats. */
export const TWO_ROUTES = ROUTES.slice(0, 2);

/** A body in the form of chat, or in one that all faces share, as its route takes it. */
export const formFor = (route: Route, body: JsonBody): JsonBody =>
  route === '/responses' ? asResponsesBody(body) : body;

export interface LoopOptions extends Omit<GatewayOptions, 'catalog'> {
  /** What the providers do with abandoned calls; the default stops. */
  readonly aborts?: object;
  /** Keys of the catalog's `tools`, replacing those here. */
  readonly tools?: object;
  /** The catalog's `plugins`. */
  readonly plugins?: object;
  /** Further models, by default of the advisor's double. */
  readonly models?: readonly (Omit<CatalogEntry, 'at'> & Partial<Pick<CatalogEntry, 'at'>>)[];
}

/**
 * A gateway that runs tools, with scripted doubles: `test/main` and the second endpoint of `test/pair`; `test/adviser`
 * at a separate double; web searches by Exa, and pages of a loopback server that the operator allows. Models cost 3
 * USD a million tokens in and 15 out.
 */
export class LoopBench {
  private readonly clients: RawClient[] = [];

  private constructor(
    readonly gateway: TestGateway,
    readonly ledger: LedgerReader,
    readonly upstreams: Record<'main' | 'second' | 'adviser' | 'engine' | 'pages', Upstream>,
  ) {}

  static async start(
    database: TestDatabase,
    {
      aborts = { stream: 'stops', whole: 'stops' },
      models = [],
      tools,
      plugins,
      variables,
      ...options
    }: LoopOptions = {},
  ): Promise<LoopBench> {
    const [main, second, adviser, engine, pages] = await Promise.all([
      startUpstream('anthropic'),
      startUpstream('anthropic'),
      startUpstream('anthropic'),
      new Upstream(SEARCH_DOUBLES.exa.rules, () => FOUND).listen(),
      new Upstream(
        () => undefined,
        () => ({ headers: { 'content-type': 'text/plain' }, body: ['A page.'] }),
      ).listen(),
    ]);
    const at = ({ url }: Upstream) => ({ url, dialect: 'anthropic-messages', aborts }) as const;
    const catalog = {
      tools: {
        web_search: { engines: { exa: { base_url: engine.url, credential: { value: KEY }, price: '0.004' } } },
        web_fetch: { price: '0.002' },
        bash: { price: '0.001' },
        ...tools,
      },
      ...(plugins && { plugins }),
      ...extendedCatalogOf(
        { id: 'test/main', at: [at(main)] },
        { id: 'test/pair', at: [at(main), at(second)] },
        { id: 'test/adviser', at: [at(adviser)] },
        ...models.map((model) => ({ at: [at(adviser)], ...model })),
      ),
    };
    const gateway = await startGateway(database, {
      coolsDown: false,
      ...options,
      catalog,
      variables: { FAIRLEAD_EGRESS_ALLOW: `127.0.0.1:${pages.port}`, ...variables },
    });
    return new LoopBench(gateway, new LedgerReader(gateway), { main, second, adviser, engine, pages });
  }

  /** A call that fetches a page of the loopback server. */
  get fetches(): { readonly name: string; readonly input: object } {
    return { name: 'web_fetch', input: { url: `${this.upstreams.pages.origin}/page` } };
  }

  /** Clears the recorded requests, and scripts the main model's answers. */
  begin(...scripts: (Script | Answer)[]): void {
    for (const upstream of Object.values(this.upstreams)) upstream.requests.length = 0;
    const { main, second, adviser, engine } = this.upstreams;
    main.script(inTurn(...scripts));
    second.script(answers('The second one.'));
    adviser.script(answers('Do it.'));
    engine.script(FOUND);
  }

  body(fields: object = {}): JsonBody {
    return {
      model: 'test/main',
      max_tokens: 1_000,
      messages: [{ role: 'user', content: 'What now?' }],
      tools: Object.values(TOOLS),
      ...fields,
    };
  }

  /** Sends a request on a bare socket. */
  async open(route: Route, fields: object, key: string): Promise<RawClient> {
    const client = await RawClient.connect(this.gateway.origin);
    this.clients.push(client);
    client.send({
      path: `/api/v1${route}`,
      headers: [['authorization', `Bearer ${key}`]],
      body: formFor(route, this.body(fields)),
    });
    return client;
  }

  /** A reply as by `readReply`, or the error in `body`. */
  async ask(route: Route, fields: JsonBody, key: string): Promise<JsonBody> {
    const response = await this.gateway.request(route, {
      method: 'POST',
      key,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(formFor(route, this.body(fields))),
    });
    const text = await response.text();
    const id = response.headers.get('x-generation-id');
    const shown = { status: response.status, id, text };
    if (response.status !== 200) return { ...shown, body: JSON.parse(text) };
    return { ...shown, ...readReply(route, text) };
  }

  /** The row of the latest generation, once it is settled; amounts in millionths of a USD. Nothing is held by then. */
  async row(id?: string): Promise<JsonBody> {
    const { ledger } = this;
    await ledger.rest();
    const row = id === undefined ? await ledger.latest() : await ledger.generation(id);
    expect(await ledger.openHolds()).toBe(0);
    expect((await ledger.account()).held).toBe(0);
    expect(await ledger.entriesOf(row.id)).toEqual([{ kind: 'charge', amount: row.cost }]);
    const { app } = this.gateway.gateway;
    expect(app.get(BytesInFlight, { strict: false }).held).toBe(0);
    expect(app.get(UnseenCalls, { strict: false }).size).toBe(0);
    const amounts = ['cost', 'operator_cost', 'tools_cost'].map((name) => [name, microUsd(row[name] ?? 0)]);
    return { ...row, ...Object.fromEntries(amounts) };
  }

  /** Waits until the process has read what was written to it. */
  async turns(): Promise<void> {
    for (let turn = 0; turn < 3; turn++) await (await fetch(`${this.gateway.origin}/health/live`)).arrayBuffer();
  }

  async close(): Promise<void> {
    for (const client of this.clients) client.destroy();
    await this.gateway.close();
    await this.closeDoubles();
  }

  async closeDoubles(): Promise<void> {
    await Promise.all(Object.values(this.upstreams).map((upstream) => upstream.close()));
  }
}

/** A reply with the status 200, whole or streamed, in a common form: those of responses are as chat's. */
export function readReply(route: Route, text: string): JsonBody {
  const isWhole = text.startsWith('{');
  if (route === '/responses')
    return asCompletion(isWhole ? JSON.parse(text) : readResponseEvents(text).at(-1).response);
  if (isWhole) {
    const body = JSON.parse(text);
    return body.choices ? { ...body, ...body.choices[0] } : body;
  }
  return route === '/messages' ? buildMessage(readMessagesEvents(text)) : joinChunks(readChunks(text));
}

/** Waits until a double's request was abandoned. @returns milliseconds from then */
export async function leftWithin(record: RecordedRequest, leftAt: number): Promise<number> {
  await record.closed;
  expect(record.aborted).toBe(true);
  return record.closedAt! - leftAt;
}
