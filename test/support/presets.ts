import type { JsonBody } from './recorded-request.js';
import { API_KEY, type TestGateway } from './app.js';

/** The API formats that presets are saved and used in. */
export const FORMATS = ['messages', 'chat', 'responses'] as const;
export type Format = (typeof FORMATS)[number];

export const PATHS: Readonly<Record<Format, string>> = {
  messages: '/messages',
  chat: '/chat/completions',
  responses: '/responses',
};
/** The conversation of a request. */
export const TURN: Readonly<Record<Format, object>> = {
  messages: { messages: [{ role: 'user', content: 'Hi' }], max_tokens: 50 },
  chat: { messages: [{ role: 'user', content: 'Hi' }] },
  responses: { input: 'Hi' },
};
/** A system prompt. */
export const SYSTEM: Readonly<Record<Format, (text: string) => object>> = {
  messages: (system) => ({ system }),
  chat: (content) => ({ messages: [{ role: 'system', content }] }),
  responses: (instructions) => ({ instructions }),
};
export const PARAMETERS = { type: 'object', properties: { zebra: { type: 'string' }, apple: { type: 'string' } } };
/** A function. */
export const TOOL: Readonly<Record<Format, (name: string, description: string) => object>> = {
  messages: (name, description) => ({ name, description, input_schema: PARAMETERS }),
  chat: (name, description) => ({ type: 'function', function: { name, description, parameters: PARAMETERS } }),
  responses: (name, description) => ({ type: 'function', name, description, parameters: PARAMETERS }),
};

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Undefined: it is not JSON. */
  readonly body: JsonBody;
}
export interface Sender {
  readonly key?: string;
  readonly headers?: object;
}

/** The requests of suites about presets. */
export class PresetCalls {
  /** @param gateway read at each call */
  constructor(private readonly gateway: () => TestGateway) {}

  async call(method: string, path: string, body?: object, { key = API_KEY, headers }: Sender = {}): Promise<Answer> {
    const response = await this.gateway().request(path, {
      method,
      key,
      headers: { ...(body && { 'content-type': 'application/json' }), ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
    const parsed = isJson ? withoutNull(JSON.parse(text)) : undefined;
    return { status: response.status, headers: response.headers, text, body: parsed };
  }

  /** @returns the preset with its new version */
  async save(format: Format, slug: string, settings: object, sender: Sender = {}): Promise<JsonBody> {
    const { status, body } = await this.call('POST', `/presets/${slug}${PATHS[format]}`, settings, sender);
    expect([body.error, status]).toEqual([undefined, 200]);
    return body.data;
  }
}

/** The responses format states a null where there is no error. */
const withoutNull = ({ error, ...body }: JsonBody): JsonBody => (error === null ? body : { ...body, error });
