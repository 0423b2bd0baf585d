import { startGateway, type TestGateway } from '../support/app.js';
import { joinChunks, readChunks } from '../support/chat-stream.js';
import type { TestDatabase } from '../support/database.js';
import type { WireDialect } from '../support/doubles/double.js';
import { drawingChat } from '../support/doubles/drawing-chat.js';
import { startDouble, type Double } from '../support/doubles/start-double.js';
import { LedgerReader } from '../support/ledger-reader.js';
import type { JsonBody } from '../support/recorded-request.js';
import { readResponseEvents } from '../support/response-events.js';
import { readMessagesEvents } from '../support/sse.js';
import { buildMessage } from '../http/messages-bench.js';

/** Dialects that return pictures, with a model of each that draws. */
export const PAINTERS = {
  'google-gemini': 'gemini-3-pro-image',
  'openai-chat': 'google/gemini-2.5-flash-image',
  'openai-responses': 'gpt-5.1',
  'bedrock-converse': 'amazon.nova-2-omni-v1:0',
} as const satisfies Partial<Record<WireDialect, string>>;
export type Painter = keyof typeof PAINTERS;
export const PAINTER_IDS = Object.keys(PAINTERS) as Painter[];

/** By their real slugs, so that their built-in properties apply. */
const PROVIDERS: Readonly<Record<Painter, string>> = {
  'google-gemini': 'google-ai-studio',
  'openai-chat': 'another-gateway',
  'openai-responses': 'openai',
  'bedrock-converse': 'amazon-bedrock',
};

/** USD per million tokens. */
export const PRICES = { prompt: '3', completion: '15', image_output: '60' };

const paints = (id: string, provider: string, model: string): object => ({
  id,
  name: id,
  context_length: 200_000,
  max_completion_tokens: 8_192,
  input_modalities: ['text', 'image'],
  output_modalities: ['text', 'image'],
  endpoints: [{ provider, model, pricing: PRICES }],
});

/** Models of the sandbox that replace a drawing model: each fails in its own way. */
const FAILING = ['echo', 'silent', 'overloaded', 'refusal', 'cut', 'malformed'];

/** A gateway with strict doubles of every dialect that returns pictures, and a client of it. */
export class ImageBench {
  readonly ledger: LedgerReader;

  private constructor(
    readonly gateway: TestGateway,
    private readonly hosts: Readonly<Record<'direct' | 'bedrock', Double>>,
  ) {
    this.ledger = new LedgerReader(gateway);
  }

  static async start(database: TestDatabase): Promise<ImageBench> {
    const hosts = {
      direct: await startDouble('direct', { 'openai-chat': drawingChat }),
      bedrock: await startDouble('bedrock'),
    };
    const gateway = await startGateway(database, {
      coolsDown: false,
      catalog: {
        version: 1,
        extends: 'default',
        providers: [
          ...PAINTER_IDS.map((dialect) => {
            const isBedrock = dialect === 'bedrock-converse';
            const host = isBedrock ? hosts.bedrock : hosts.direct;
            return {
              slug: PROVIDERS[dialect],
              name: `At ${dialect}`,
              dialect,
              ...(isBedrock && { platform: 'bedrock' }),
              base_url: host.baseUrl(dialect),
              credential: { value: host.credential },
            };
          }),
          {
            slug: 'unpaid',
            name: 'Without a credential',
            dialect: 'google-gemini',
            base_url: hosts.direct.baseUrl('google-gemini'),
            credential: { env: 'IMAGE_BENCH_API_KEY' },
          },
        ],
        models: [
          ...PAINTER_IDS.map((dialect) => paints(`draw/${dialect}`, PROVIDERS[dialect], PAINTERS[dialect])),
          {
            ...paints('draw/blind', PROVIDERS['openai-chat'], 'words'),
            input_modalities: ['text'],
            output_modalities: ['text'],
          },
          paints('draw/unpaid', 'unpaid', PAINTERS['google-gemini']),
          ...FAILING.map((name) => paints(`draw/${name}`, 'sandbox', name)),
        ],
      },
    });
    return new ImageBench(gateway, hosts);
  }

  hostOf(dialect: Painter): Double {
    return dialect === 'bedrock-converse' ? this.hosts.bedrock : this.hosts.direct;
  }

  /** Requests to the double from this call on. */
  sent(dialect: Painter, from = 0): JsonBody[] {
    return this.hostOf(dialect)
      .calls.slice(from)
      .map(({ body }) => body);
  }

  async messages(body: object, init: object = {}): Promise<JsonBody> {
    const response = await this.gateway.messages({ max_tokens: 1_000, ...body }, init);
    const text = await response.text();
    if (response.status !== 200) return { status: response.status, ...JSON.parse(text) };
    return 'stream' in body && body.stream === true ? buildMessage(readMessagesEvents(text)) : JSON.parse(text);
  }

  /** The message of a chat reply, with its usage. */
  async chat(body: { readonly stream?: boolean; readonly [key: string]: unknown }): Promise<JsonBody> {
    const response = await this.gateway.request('/chat/completions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ max_tokens: 1_000, ...body }),
    });
    const text = await response.text();
    if (response.status !== 200) return { status: response.status, ...JSON.parse(text) };
    const { message, usage } = body.stream ? joinChunks(readChunks(text)) : wholeOf(JSON.parse(text));
    return { ...message, usage };
  }

  /** The response, from the last event of a stream. */
  async responses(body: { readonly stream?: boolean; readonly [key: string]: unknown }): Promise<JsonBody> {
    const response = await this.gateway.request('/responses', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ max_output_tokens: 1_000, ...body }),
    });
    const text = await response.text();
    if (response.status !== 200) return { status: response.status, ...JSON.parse(text) };
    return body.stream ? readResponseEvents(text).at(-1).response : JSON.parse(text);
  }

  async generation(id: string): Promise<JsonBody> {
    const response = await this.gateway.request(`/generation?id=${id}`);
    const { data } = (await response.json()) as JsonBody;
    return data;
  }

  async close(): Promise<void> {
    await this.gateway?.close();
    await Promise.all(Object.values(this.hosts).map((host) => host.close()));
  }
}

const wholeOf = ({ choices, usage }: JsonBody): JsonBody => ({ message: choices[0].message, usage });
