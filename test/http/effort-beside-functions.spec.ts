/**
 * Goal: no model of OpenAI's is sent an effort beside functions in chat completions where it refuses both together, the
 * loss is named, and by the Responses API both reach it (docs/use/translation/claude-models.md#other-models). Method:
 * the application over HTTP before strict doubles of OpenAI and Azure, which refuse by the model
 * (test/support/doubles/reasoning-models.ts); both faces, whole and streamed; the shipped catalog.
 */
import { readFileSync } from 'node:fs';
import { PLATFORM_IDS, type PlatformId } from '../../src/core/routing/catalog.js';
import { startGateway, type TestGateway } from '../support/app.js';
import { describeOnEmbedded } from '../support/database.js';
import { startDouble, type Double } from '../support/doubles/start-double.js';
import { platformEndpointOf, platformCatalog, type PlatformEndpoint } from './platform-endpoints.js';
import { FACES } from './translation-bench.js';

const MODELS = ['gpt-5.2', 'gpt-5.4', 'gpt-5.4-mini', 'gpt-5.5', 'gpt-5.6-sol', 'gpt-6-sol', 'gpt-6.1-terra'] as const;
const PLATFORMS = ['direct', 'azure'] as const;
const ENDPOINTS: readonly PlatformEndpoint[] = PLATFORMS.flatMap((platform) =>
  [...MODELS, 'gpt-6-astra'].flatMap((name) =>
    (['openai-chat', 'openai-responses'] as const).map((dialect) => platformEndpointOf(platform, dialect, name)),
  ),
);
const CASES = FACES.flatMap((face) =>
  PLATFORMS.flatMap((platform) =>
    MODELS.map((name) => [`${face.name} of ${name} at ${platform}`, face, platform, name] as const),
  ),
);
/** A model that takes both. */
const UNRESTRICTED = 'gpt-5.2';
/** What chat completions receive beside functions. */
const WORDS: Readonly<Record<string, string | undefined>> = { 'gpt-5.4': undefined, 'gpt-5.4-mini': undefined };

describeOnEmbedded('an effort beside functions', (database) => {
  let gateway: TestGateway;
  const doubles = new Map<PlatformId, Double>();
  beforeAll(async () => {
    for (const platform of PLATFORM_IDS) doubles.set(platform, await startDouble(platform));
    gateway = await startGateway(database, { catalog: platformCatalog(doubles, ENDPOINTS), coolsDown: false });
  }, 240_000);
  afterAll(async () => {
    await gateway?.close();
    for (const double of doubles.values()) await double.close();
  });

  async function send({ platform, model }: PlatformEndpoint, path: string, body: object) {
    const double = doubles.get(platform)!;
    double.violations.length = 0;
    double.script({ parts: [{ type: 'text', text: 'Well.' }] });
    const calls = double.calls.length;
    const response = await gateway.request(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-router-metadata': 'enabled' },
      body: JSON.stringify({ model, max_tokens: 4_000, ...body }),
    });
    const reply = await response.text();
    expect(double.violations).toEqual([]);
    return { status: response.status, reply, sent: double.calls[calls]?.body };
  }

  it.each(CASES)('%s', async (_name, face, platform, name) => {
    const tools = [face.tool('look', { type: 'object', properties: {} })];
    const messages = face.user('Hello');
    for (const stream of [false, true]) {
      for (const [wish, lost] of [
        [{}, []],
        [face.effort('high'), ['output_config.effort']],
        [face.thinking(2_000), ['thinking']],
        [{ ...face.thinking(2_000), ...face.effort('high') }, undefined],
      ] as const) {
        const chat = await send(platformEndpointOf(platform, 'openai-chat', name), face.path, {
          stream,
          messages,
          tools,
          ...wish,
        });
        expect([chat.status, chat.reply]).toEqual([200, expect.stringContaining('Well.')]);
        if (name === UNRESTRICTED) continue;
        expect(chat.sent.reasoning_effort).toBe(name in WORDS ? WORDS[name] : 'none');
        if (!stream && lost !== undefined)
          expect(JSON.parse(chat.reply).router_metadata.attempts[0].dropped ?? []).toEqual(lost);
        const endpoint = platformEndpointOf(platform, 'openai-responses', name);
        const responses = await send(endpoint, face.path, { stream, messages, tools, ...wish });
        expect(responses.status).toBe(200);
        expect(responses.sent.reasoning?.effort).toBe(
          lost?.length === 0 ? undefined : lost?.[0] === 'thinking' ? 'low' : 'high',
        );
      }
      const alone = await send(platformEndpointOf(platform, 'openai-chat', name), face.path, {
        stream,
        messages,
        ...face.effort('high'),
      });
      expect([alone.status, alone.sent.reasoning_effort]).toEqual([200, 'high']);
    }
  });

  it.each(PLATFORMS)('functions of a model that always reasons are refused by name at %s', async (platform) => {
    for (const face of FACES) {
      const tools = [face.tool('look', { type: 'object', properties: {} })];
      const body = { messages: face.user('Hello'), tools };
      const { status, reply, sent } = await send(
        platformEndpointOf(platform, 'openai-chat', 'gpt-6-astra'),
        face.path,
        body,
      );
      expect([status, JSON.parse(reply).error.message, sent]).toEqual([
        400,
        expect.stringContaining('tools: '),
        undefined,
      ]);
      expect(
        (await send(platformEndpointOf(platform, 'openai-responses', 'gpt-6-astra'), face.path, body)).status,
      ).toBe(200);
      const off = await send(platformEndpointOf(platform, 'openai-chat', 'gpt-6-astra'), face.path, {
        messages: face.user('Hello'),
        ...face.effort('low'),
      });
      expect([off.status, off.sent.reasoning_effort]).toEqual([200, 'low']);
    }
  });

  it('the shipped catalog serves these models by the Responses API', () => {
    const catalog = readFileSync('catalog/default.yaml', 'utf8');
    const models = catalog.split(/^ {2}- id: /m).filter((entry) => /^openai\/gpt-(?:5\.[4-9]|[6-9])/.test(entry));
    expect(models.length).toBeGreaterThan(10);
    for (const entry of models) {
      const endpoints = entry
        .split(/^ {6}- provider: /m)
        .slice(1)
        .filter((one) => /^(?:openai|azure)\n/.test(one));
      for (const endpoint of endpoints)
        expect([entry.split('\n')[0], endpoint]).toEqual([
          expect.any(String),
          expect.stringContaining('dialect: openai-responses'),
        ]);
    }
  });
});
