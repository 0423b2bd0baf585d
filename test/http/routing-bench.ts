import { writeFile } from 'node:fs/promises';
import { startGateway, type GatewayOptions, type TestGateway } from '../support/app.js';
import { anthropicError, anthropicText } from '../support/anthropic-upstream.js';
import type { TestDatabase } from '../support/database.js';
import { openaiError, openaiText } from '../support/openai-upstream.js';
import type { JsonBody, RecordedRequest } from '../support/recorded-request.js';
import { responsesText } from '../support/responses-upstream.js';
import { readMessagesEvents } from '../support/sse.js';
import { json, type Answer, type Script } from '../support/upstream-answers.js';
import { startUpstream, type Upstream } from '../support/upstreams.js';

/** A provider of the catalog, with an upstream of its own. */
export interface ProviderParts {
  /** Default: `anthropic`. */
  readonly kind?: keyof typeof DIALECTS;
  /** In the form of the catalog file. */
  readonly policy?: { collects_data?: boolean; zero_data_retention?: boolean; region?: string };
  /** The provider's behaviour for abandoned calls; the catalog's default where absent. */
  readonly aborts?: { stream?: string; whole?: string };
  readonly quirks?: object;
  readonly passes_unknown_fields?: boolean;
}

export interface EndpointParts {
  /** USD per million tokens, prompt + completion: the price by which endpoints are compared. 0 = free. */
  readonly usd?: number;
  /** Further keys of `pricing`, and of the endpoint. */
  readonly pricing?: object;
  readonly [key: string]: unknown;
}

/** An endpoint in the form of the catalog file, at `provider` or `provider/variant`. */
export function at(tag: string, { usd = 1, pricing, ...keys }: EndpointParts = {}): object {
  const [provider, variant] = tag.split('/');
  const half = String(usd / 2);
  return {
    provider,
    model: `upstream-${provider}`,
    ...(variant !== undefined && { variant }),
    ...(usd === 0 ? { free: true } : { pricing: { prompt: half, completion: half, ...pricing } }),
    ...keys,
  };
}

/** Each is so much dearer than the preceding one that the draw, by 1/price², keeps this order. */
const DEARER = 10_000;

/** Endpoints that are drawn in this order, four at most. */
export const inTurn = (tags: readonly string[], parts: EndpointParts = {}): object[] =>
  tags.map((tag, position) => at(tag, { usd: DEARER ** position, ...parts }));

/** A model in the form of the catalog file; it reads images and files. */
export const model = (id: string, endpoints: readonly object[], keys: object = {}): object => ({
  id,
  name: id,
  context_length: 200_000,
  input_modalities: ['text', 'image', 'file'],
  output_modalities: ['text'],
  ...keys,
  endpoints,
});

export interface RoutingOptions extends Pick<GatewayOptions, 'variables' | 'clock' | 'coolsDown'> {
  /** By slug. */
  readonly providers: Readonly<Record<string, ProviderParts>>;
  readonly models: readonly object[];
}

/** The outcome of one request. */
export interface Outcome {
  readonly status: number;
  readonly headers: Headers;
  /** The whole reply or the error; for a stream the message of its start. */
  readonly body: JsonBody;
  /** Events of a streamed reply. */
  readonly events: readonly JsonBody[];
}

export interface RequestOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly key?: string | null;
  /** Another gateway than the bench's first. */
  readonly gateway?: TestGateway;
}

const DIALECTS = {
  anthropic: { name: 'anthropic-messages', text: anthropicText, error: anthropicError },
  openai: {
    name: 'openai-chat',
    text: openaiText,
    error: (type: string, message: string): object => openaiError(message, type, type),
  },
  responses: {
    name: 'openai-responses',
    text: responsesText,
    error: (type: string, message: string): object => openaiError(message, type, type),
  },
} as const;

/**
 * A gateway before as many scripted providers as a suite needs. Unscripted, each answers `From <slug>.`; its name in
 * replies is its slug with a capital, its credential `credential-of-<slug>`. `calls` lists the called providers in
 * order.
 */
export class RoutingBench {
  /** Slugs of the providers called since the last `reset`. */
  readonly calls: string[] = [];
  private readonly gateways: TestGateway[] = [];
  private readonly waiting: (() => void)[] = [];

  private constructor(
    private readonly database: TestDatabase,
    private readonly options: RoutingOptions,
    private readonly upstreams: ReadonlyMap<string, Upstream>,
  ) {}

  static async start(database: TestDatabase, options: RoutingOptions): Promise<RoutingBench> {
    const started = Object.entries(options.providers).map(
      async ([slug, { kind = 'anthropic' }]) => [slug, await startUpstream(kind)] as const,
    );
    const bench = new RoutingBench(database, options, new Map(await Promise.all(started)));
    bench.reset();
    await bench.addGateway();
    return bench;
  }

  /** Another gateway on the same store, before the same providers. Only on a store that takes several. */
  async addGateway(): Promise<TestGateway> {
    const { models, variables = {}, clock, coolsDown } = this.options;
    const gateway = await startGateway(this.database, {
      catalog: this.catalogOf(models),
      variables,
      ...(clock && { clock }),
      ...(coolsDown !== undefined && { coolsDown }),
    });
    this.gateways.push(gateway);
    return gateway;
  }

  /** Ends the gateway and starts another, which knows only the contents of the store. */
  async restart(): Promise<void> {
    await this.gateways.pop()!.close();
    await this.addGateway();
  }

  /** Gives the running gateway other models; resolves when they are in force. */
  async changeModels(models: readonly object[], probe: object): Promise<void> {
    const hashOf = async (): Promise<unknown> => (await this.explain(probe)).data.catalog_hash;
    const before = await hashOf();
    await writeFile(this.gateway.catalogPath, JSON.stringify(this.catalogOf(models)));
    while ((await hashOf()) === before) await new Promise((resolve) => setTimeout(resolve, 20));
  }

  get gateway(): TestGateway {
    return this.gateways[0]!;
  }

  /** All providers answer again, and none was called. */
  reset(): void {
    for (const slug of this.upstreams.keys()) this.answers(slug);
    this.calls.length = 0;
  }

  /** Resolves when this many calls have arrived since the last `reset`. */
  async called(count: number): Promise<void> {
    while (this.calls.length < count) await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  /** Sets the answer of this provider from now on. */
  script(slug: string, script: Script | Answer): void {
    this.upstream(slug).script((request, index) => {
      this.calls.push(slug);
      for (const wake of this.waiting.splice(0)) wake();
      return typeof script === 'function' ? script(request, index) : script;
    });
  }

  answers(slug: string, text = `From ${slug}.`): void {
    this.script(slug, DIALECTS[this.kindOf(slug)].text(text));
  }

  /** Refuses each request with this status; the message names the provider. */
  fails(slug: string, status: number, headers: Answer['headers'] = {}): void {
    const { error } = DIALECTS[this.kindOf(slug)];
    this.script(slug, json(error(`code_of_${slug}`, `Refused by ${slug}`), status, headers));
  }

  upstream(slug: string): Upstream {
    return this.upstreams.get(slug)!;
  }

  /** The last request that this provider received. */
  sent(slug: string): RecordedRequest {
    return this.upstream(slug).requests.at(-1)!;
  }

  /** `POST /messages`. A body with `stream` is read to its end. */
  async ask(body: object, { gateway = this.gateway, ...init }: RequestOptions = {}): Promise<Outcome> {
    const response = await gateway.messages(body, init);
    const { status, headers } = response;
    const text = await response.text();
    if (!headers.get('content-type')?.startsWith('text/event-stream')) {
      return { status, headers, body: JSON.parse(text), events: [] };
    }
    const events = readMessagesEvents(text);
    return { status, headers, body: events[0]?.message, events };
  }

  /** The providers called for this request, in order. */
  async callsOf(body: object, options?: RequestOptions): Promise<readonly string[]> {
    const before = this.calls.length;
    await this.ask(body, options);
    return this.calls.slice(before);
  }

  /** `POST /routing/explain`: the response with its text. */
  async explain(
    body: object,
    { query = '', ...options }: RequestOptions & { query?: string } = {},
  ): Promise<Explained> {
    const { gateway = this.gateway, headers, ...init } = options;
    const response = await gateway.request(`/routing/explain${query}`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...headers },
      ...init,
    });
    const text = await response.text();
    const parsed: JsonBody = JSON.parse(text);
    return { status: response.status, text, body: parsed, data: parsed.data };
  }

  async close(): Promise<void> {
    await Promise.all(this.gateways.map((gateway) => gateway.close()));
    await Promise.all([...this.upstreams.values()].map((upstream) => upstream.close()));
  }

  private kindOf(slug: string): keyof typeof DIALECTS {
    return this.options.providers[slug]!.kind ?? 'anthropic';
  }

  private catalogOf(models: readonly object[]): object {
    const providers = Object.entries(this.options.providers).map(([slug, { kind: _kind, ...parts }]) => ({
      slug,
      name: nameOf(slug),
      dialect: DIALECTS[this.kindOf(slug)].name,
      base_url: this.upstream(slug).url,
      credential: { value: `credential-of-${slug}` },
      ...parts,
    }));
    return { version: 1, providers, models };
  }
}

export interface Explained {
  readonly status: number;
  readonly text: string;
  readonly body: JsonBody;
  readonly data: JsonBody;
}

/** The display name a bench gives to a provider. */
export const nameOf = (slug: string): string => slug[0]!.toUpperCase() + slug.slice(1);

/** A body of `POST /messages`. */
export const ask = (to: string, more: object = {}): object => ({
  model: to,
  max_tokens: 100,
  messages: [{ role: 'user', content: 'Hello' }],
  ...more,
});
