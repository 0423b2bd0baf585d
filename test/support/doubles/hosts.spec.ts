/**
 * A platform's host only accepts calls at its own addresses with its own credential, records its refusals, and streams
 * as the vendors do. Plain requests to each host; frames read independently of the code under test. The gateway's
 * requests are tested by the matrix (test/http/matrix).
 */
import type { PlatformId } from '../../../src/core/routing/catalog.js';
import type { JsonBody } from '../recorded-request.js';
import { readFrames } from '../sse.js';
import { startDouble, type Double } from './start-double.js';

const HELLO = { role: 'user', content: 'Hi' };
const MESSAGES = { model: 'claude-sonnet-4-5', max_tokens: 10, stream: true, messages: [HELLO] };
const CHAT = { model: 'gpt-5.1', stream: true, messages: [HELLO] };
const GEMINI = { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] };

let double: Double;
afterEach(() => double.close());

interface Answered {
  readonly status: number;
  readonly bytes: Buffer;
  readonly json: JsonBody;
}

async function post(path: string, body: object, headers: Record<string, string> = {}): Promise<Answered> {
  const response = await fetch(double.origin + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  return { status: response.status, bytes, json: isJson ? JSON.parse(bytes.toString()) : undefined };
}

describe('a host', () => {
  it.each<[PlatformId, string, object, number]>([
    ['direct', '/v1/messages', MESSAGES, 401],
    ['direct', '/v1/chat/completions', CHAT, 401],
    ['direct', '/v1beta/models/gemini-3-flash:generateContent', GEMINI, 401],
    ['azure', '/openai/v1/chat/completions', CHAT, 401],
    ['vertex', '/v1/projects/project-1/locations/us-east5/publishers/google/models/m:generateContent', GEMINI, 401],
    ['bedrock', '/model/m/converse', { messages: [] }, 403],
  ])('%s refuses %s without its credential', async (platform, path, body, status) => {
    double = await startDouble(platform);
    expect((await post(path, body, { authorization: 'Bearer other' })).status).toBe(status);
    expect(double.violations).toHaveLength(1);
  });

  it.each<[PlatformId, string]>([
    ['direct', '/openai/v1/chat/completions'],
    ['azure', '/v1/chat/completions'],
    ['vertex', '/v1beta/models/m:generateContent'],
    ['bedrock', '/v1/messages'],
  ])('%s has nothing at %s', async (platform, path) => {
    double = await startDouble(platform);
    expect((await post(path, {})).status).toBe(404);
    expect(double.violations).toEqual([`no such address: ${path}`]);
  });

  it('issues no token for an unsigned assertion', async () => {
    double = await startDouble('vertex');
    expect(await post('/token', {})).toMatchObject({ status: 400, json: { error: 'invalid_grant' } });
  });

  it.each([
    ['no date', {}],
    ['an old one', { 'x-amz-date': '20150830T123600Z' }],
  ])('refuses a signature with %s', async (_, headers) => {
    double = await startDouble('bedrock');
    const authorization = `AWS4-HMAC-SHA256 Credential=a/b, SignedHeaders=host, Signature=${'0'.repeat(64)}`;
    const { status, json } = await post('/model/m/converse', { messages: [] }, { authorization, ...headers });
    expect([status, json]).toEqual([403, { message: 'Signature expired.' }]);
  });
});

describe('a stream', () => {
  beforeEach(async () => {
    double = await startDouble('direct');
    double.script({ parts: [{ type: 'text', text: 'Zürich 🌦' }] });
  });
  const key = (): string => double.credential;

  it('of Messages pings behind its first event', async () => {
    const { bytes } = await post('/v1/messages', MESSAGES, { 'x-api-key': key(), 'anthropic-version': '2023-06-01' });
    expect(
      readFrames(bytes)
        .map(({ event }) => event)
        .slice(0, 2),
    ).toEqual(['message_start', 'ping']);
  });

  it('of Gemini ends its lines as Google does', async () => {
    const path = '/v1beta/models/gemini-3-flash:streamGenerateContent?alt=sse';
    const { bytes } = await post(path, GEMINI, { 'x-goog-api-key': key() });
    expect(bytes.toString()).not.toMatch(/[^\r]\n/);
  });

  it('of chat completions sends usage last, and only on request', async () => {
    const authorization = `Bearer ${key()}`;
    for (const include_usage of [true, false]) {
      const body = { ...CHAT, stream_options: { include_usage } };
      const { bytes } = await post('/v1/chat/completions', body, { authorization });
      const frames = readFrames(bytes);
      expect([frames.at(-1)?.data, frames.at(-2)?.data?.includes('"usage"')]).toEqual(['[DONE]', include_usage]);
    }
  });

  it('split at each byte is the same', async () => {
    const headers = { 'x-api-key': key(), 'anthropic-version': '2023-06-01' };
    const whole = await post('/v1/messages', MESSAGES, headers);
    double.transmission = { bytesPerPiece: 1 };
    expect((await post('/v1/messages', MESSAGES, headers)).bytes).toEqual(whole.bytes);
  });
});
