/**
 * Goal: a provider that only switches thinking on and off is sent what it takes of a budget and an effort, and what it
 * is not sent is named. Method: the application over HTTP before the strict double of such providers, by the slugs of
 * the code; both faces, whole and streamed.
 */
import { startGateway, type TestGateway } from '../support/app.js';
import { describeOnEmbedded } from '../support/database.js';
import { reasoningChat } from '../support/doubles/reasoning-chat.js';
import { startDouble, type Double } from '../support/doubles/start-double.js';
import type { JsonBody } from '../support/recorded-request.js';

const BUDGET = 'thinking.budget_tokens';
const EFFORT = 'output_config.effort';

/** Slug, model, whether it takes an effort. */
const PROVIDERS = [
  ['deepseek', 'deepseek-v4-pro', true],
  ['moonshotai', 'kimi-k2.6', false],
  ['z-ai', 'glm-5', false],
  ['xiaomi', 'mimo-v2.5-pro', false],
] as const;

const messages = [{ role: 'user', content: 'Hello' }];
const thinking = { type: 'enabled', budget_tokens: 2_000 };
/** Requests by their face and what they measure. */
const REQUESTS: readonly (readonly [face: string, what: 'both' | 'effort' | 'budget' | 'none', body: object])[] = [
  ['/messages', 'both', { thinking, output_config: { effort: 'high' } }],
  ['/messages', 'effort', { output_config: { effort: 'high' } }],
  ['/messages', 'budget', { thinking }],
  ['/messages', 'none', { thinking: { type: 'disabled' }, output_config: { effort: 'high' } }],
  ['/chat/completions', 'both', { reasoning: { max_tokens: 2_000 }, reasoning_effort: 'high' }],
  ['/chat/completions', 'effort', { reasoning_effort: 'high' }],
  ['/chat/completions', 'budget', { reasoning: { max_tokens: 2_000 } }],
  ['/chat/completions', 'none', { reasoning: { enabled: false, effort: 'high' } }],
];
const CASES = PROVIDERS.flatMap(([slug, , takesEffort]) =>
  REQUESTS.map(([face, what, body]) => [slug, face, what, takesEffort, body] as const),
);

describeOnEmbedded('a budget and an effort', (database) => {
  let gateway: TestGateway;
  let double: Double;
  beforeAll(async () => {
    double = await startDouble('direct', { 'openai-chat': reasoningChat });
    const catalog = {
      version: 1,
      providers: PROVIDERS.map(([slug]) => ({
        slug,
        name: slug,
        dialect: 'openai-chat',
        base_url: double.baseUrl('openai-chat'),
        credential: { value: double.credential },
      })),
      models: PROVIDERS.map(([slug, model]) => ({
        id: `test/${slug}`,
        name: slug,
        context_length: 200_000,
        max_completion_tokens: 64_000,
        endpoints: [{ provider: slug, model, pricing: { prompt: '1', completion: '1' } }],
      })),
    };
    gateway = await startGateway(database, { catalog, coolsDown: false });
  }, 240_000);
  afterAll(async () => {
    await gateway?.close();
    await double?.close();
  });

  it.each(CASES)('%s, %s: %s', async (slug, face, what, takesEffort, more) => {
    double.violations.length = 0;
    double.script({ parts: [{ type: 'text', text: 'Well.' }] });
    for (const stream of [false, true]) {
      const response = await gateway.request(face, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-router-metadata': 'enabled' },
        body: JSON.stringify({ model: `test/${slug}`, max_tokens: 4_000, messages, stream, ...more }),
      });
      const text = await response.text();
      expect([response.status, double.violations]).toEqual([200, []]);
      const sent = double.calls.at(-1)!.body;
      const effort = what === 'budget' ? 'low' : 'high';
      expect([sent.thinking, sent.reasoning_effort, sent.reasoning]).toEqual([
        { type: what === 'none' ? 'disabled' : 'enabled' },
        takesEffort && what !== 'none' ? effort : undefined,
        undefined,
      ]);
      const dropped = what === 'both' ? (takesEffort ? [BUDGET] : [BUDGET, EFFORT]) : undefined;
      expect(droppedIn(text)).toEqual(dropped);
    }
  });
});

/** The names in the routing metadata of a whole reply, or of the last event of a stream that has any. */
function droppedIn(text: string): unknown {
  const found = text.startsWith('{') ? text : text.split('\n').findLast((line) => line.includes('"router_metadata"'));
  const body: JsonBody = JSON.parse(found!.replace(/^data: /, ''));
  return body.router_metadata.attempts[0].dropped;
}
