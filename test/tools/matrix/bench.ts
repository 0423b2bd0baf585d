import { API_KEY, startGateway, type TestGateway } from '../../support/app.js';
import type { TestDatabase } from '../../support/database.js';
import type { WireDialect } from '../../support/doubles/double.js';
import { startDouble, type Double } from '../../support/doubles/start-double.js';
import type { JsonBody } from '../../support/recorded-request.js';
import { Upstream } from '../../support/upstreams.js';
import { responsesBody } from '../../http/translation-bench.js';

/** A model of a dialect at its real provider, so that the provider's built-in properties apply. */
interface Speaker {
  readonly provider: string;
  readonly model: string;
  readonly platform: 'direct' | 'bedrock';
}

const SPEAKERS: Readonly<Record<WireDialect, Speaker>> = {
  'anthropic-messages': { provider: 'anthropic', model: 'claude-sonnet-4-5', platform: 'direct' },
  'bedrock-converse': {
    provider: 'amazon-bedrock',
    model: 'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
    platform: 'bedrock',
  },
  'cohere-chat': { provider: 'cohere', model: 'command-a-reasoning-08-2025', platform: 'direct' },
  'google-gemini': { provider: 'google-ai-studio', model: 'gemini-3-flash-preview', platform: 'direct' },
  'openai-chat': { provider: 'openai', model: 'gpt-5.1', platform: 'direct' },
  'openai-responses': { provider: 'openai', model: 'gpt-5.1', platform: 'direct' },
};
export const DIALECTS = Object.keys(SPEAKERS) as WireDialect[];

/** The consulted model. */
export const ADVISER = 'test/adviser';
const ADVISER_UPSTREAM = 'gpt-5.1-adviser';
/** USD per million tokens, the same everywhere, and of one use of a tool that costs. */
export const PRICES = { prompt: 1, completion: 2, search: 0.004, page: 0.001, bash: 0.002 };
export const PAGE = '<html><head><title>Tides</title></head><body><p>High water is at noon.</p></body></html>';
/** The address of the page in the cases; the server's own address replaces it on the way. */
export const PAGE_AT = 'http://pages.test/tides';

export const idOf = (dialect: WireDialect): string => `test/${dialect}`;
export const isAdviser = (call: { readonly model: string }): boolean => call.model === ADVISER_UPSTREAM;

/** A gateway that runs all of its tools, with a strict double of every dialect, and a server of one page. */
export class ToolMatrixBench {
  private constructor(
    readonly gateway: TestGateway,
    private readonly doubles: Readonly<Record<Speaker['platform'], Double>>,
    private readonly pages: Upstream,
  ) {}

  static async start(database: TestDatabase): Promise<ToolMatrixBench> {
    const [direct, bedrock] = await Promise.all([startDouble('direct'), startDouble('bedrock')]);
    const doubles = { direct, bedrock };
    const pages = await new Upstream(
      () => undefined,
      () => ({ headers: { 'content-type': 'text/html' }, body: [Buffer.from(PAGE)] }),
    ).listen();
    const gateway = await startGateway(database, {
      catalog: catalogOf(doubles),
      coolsDown: false,
      variables: { FAIRLEAD_EGRESS_ALLOW: `127.0.0.1:${pages.port}`, FAIRLEAD_FLOOD: 'wasted=10000/60s' },
    });
    return new ToolMatrixBench(gateway, doubles, pages);
  }

  doubleOf(dialect: WireDialect): Double {
    return this.doubles[SPEAKERS[dialect].platform];
  }

  /** All refusals of any double. */
  get violations(): string[] {
    return Object.values(this.doubles).flatMap(({ violations }) => violations);
  }

  forget(): void {
    for (const double of Object.values(this.doubles)) {
      double.violations.length = 0;
      double.calls.length = 0;
    }
  }

  /** Sends a body to a face's path below `/api/v1`. */
  send(path: string, body: object, key = API_KEY): Promise<Response> {
    return fetch(`${this.gateway.origin}/api/v1${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: JSON.stringify(this.placed(path === '/responses' ? responsesBody(body) : body)),
    });
  }

  /** Puts in the page's real address. */
  placed<T>(value: T): T {
    return JSON.parse(JSON.stringify(value).replaceAll('http://pages.test', this.pages.origin)) as T;
  }

  /** Puts in the page's address of the cases. */
  read<T>(value: T): T {
    return JSON.parse(JSON.stringify(value).replaceAll(this.pages.origin, 'http://pages.test')) as T;
  }

  async close(): Promise<void> {
    await this.gateway?.close();
    await Promise.all([...Object.values(this.doubles), this.pages].map((server) => server.close()));
  }
}

function catalogOf(doubles: Readonly<Record<Speaker['platform'], Double>>): object {
  const { prompt, completion, search, page, bash } = PRICES;
  const slugs = new Set<string>();
  const providers = DIALECTS.flatMap((dialect) => {
    const { provider: slug, platform } = SPEAKERS[dialect];
    if (slugs.has(slug)) return [];
    slugs.add(slug);
    const double = doubles[platform];
    const credential = { value: double.credential };
    return [{ slug, name: slug, dialect, platform, base_url: double.baseUrl(dialect), credential }];
  });
  const model = (id: string, provider: string, upstream: string, dialect: WireDialect): object => ({
    id,
    name: id,
    context_length: 200_000,
    max_completion_tokens: 64_000,
    input_modalities: ['text', 'image', 'file'],
    output_modalities: ['text'],
    endpoints: [{ provider, model: upstream, dialect, pricing: { prompt: `${prompt}`, completion: `${completion}` } }],
  });
  return {
    version: 1,
    extends: 'default',
    providers,
    tools: {
      web_search: { engines: { simulated: { price: `${search}` } } },
      web_fetch: { price: `${page}` },
      bash: { price: `${bash}` },
    },
    models: [
      ...DIALECTS.map((dialect) => model(idOf(dialect), SPEAKERS[dialect].provider, SPEAKERS[dialect].model, dialect)),
      model(ADVISER, 'openai', ADVISER_UPSTREAM, 'openai-chat'),
    ],
  };
}

/** The results of tool uses that the model reads, in the order of the conversation. */
export function resultsIn(dialect: WireDialect, body: JsonBody): string[] {
  const parts = (turns: JsonBody[], key: string): JsonBody[] => turns.flatMap((turn) => turn[key] ?? []);
  const words = (content: JsonBody): string =>
    typeof content === 'string' ? content : content.map(({ text }: JsonBody) => text).join('');
  switch (dialect) {
    case 'anthropic-messages':
      return parts(body.messages, 'content')
        .filter(({ type }) => type === 'tool_result')
        .map(({ content }) => words(content));
    case 'bedrock-converse':
      return parts(body.messages, 'content').flatMap(({ toolResult }) =>
        toolResult ? [words(toolResult.content)] : [],
      );
    case 'google-gemini':
      return parts(body.contents, 'parts').flatMap(({ functionResponse }) =>
        functionResponse ? [functionResponse.response.output ?? functionResponse.response.error] : [],
      );
    case 'openai-responses':
      return body.input
        .filter(({ type }: JsonBody) => type === 'function_call_output')
        .map(({ output }: JsonBody) => words(output));
    case 'openai-chat':
    case 'cohere-chat':
      return body.messages
        .filter(({ role }: JsonBody) => role === 'tool')
        .map(({ content }: JsonBody) => words(content));
  }
}
