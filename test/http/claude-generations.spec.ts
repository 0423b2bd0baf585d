/**
 * Goal: no path to a model of Claude sends what its generation refuses, for any request on either face. Method: the
 * application over HTTP before doubles that refuse by the model (test/support/doubles/claude-generations.ts), each
 * generation on each path; every request of some models whole and of others streamed; the router metadata gives what
 * was dropped.
 */
import type { PlatformId } from '../../src/core/routing/catalog.js';
import { API_KEY, startGateway, type TestGateway } from '../support/app.js';
import { describeOnEmbedded } from '../support/database.js';
import type { WireDialect } from '../support/doubles/double.js';
import { WAYS } from '../support/doubles/platforms.js';
import { startDouble, type Double } from '../support/doubles/start-double.js';
import type { JsonBody } from '../support/recorded-request.js';

interface Path {
  readonly id: string;
  readonly platform: PlatformId;
  readonly dialect: WireDialect;
  readonly provider: string;
  readonly named: (model: string) => string;
}

const asItIs = (model: string): string => model;
const ofBedrock = (model: string): string => `us.anthropic.${model}`;
const PATHS: readonly Path[] = [
  { id: 'direct', platform: 'direct', dialect: 'anthropic-messages', provider: 'anthropic', named: asItIs },
  { id: 'azure', platform: 'azure', dialect: 'anthropic-messages', provider: 'azure', named: asItIs },
  { id: 'vertex', platform: 'vertex', dialect: 'anthropic-messages', provider: 'google-vertex', named: (model) => `${model}@default` },
  { id: 'invoke', platform: 'bedrock', dialect: 'anthropic-messages', provider: 'amazon-bedrock', named: ofBedrock },
  { id: 'converse', platform: 'bedrock', dialect: 'bedrock-converse', provider: 'amazon-bedrock', named: ofBedrock },
]; // oxfmt-ignore
/** One of each set of rules; the table of them all: `claude-models.spec.ts`. */
const MODELS = [
  'claude-3-7-sonnet-20250219',
  'claude-sonnet-4-5-20250929',
  'claude-opus-4-5-20251101',
  'claude-sonnet-4-6',
  'claude-opus-4-7',
  'claude-opus-5',
  'claude-sonnet-5-5',
  'claude-opus-5-5',
];

const HELLO = { role: 'user', content: 'Hello' };
const ANSWER = { role: 'assistant', content: 'Hi' };
const NOTE = { role: 'system', content: 'Be brief.' };
const PLAIN = { messages: [HELLO] };
const CALL = { type: 'tool_use', id: 'call_1', name: 'look', input: {} };
const RESULT = { type: 'tool_result', tool_use_id: 'call_1', content: 'Sun' };
const TOOL = { name: 'look', input_schema: { type: 'object', properties: {} } };
const BUDGET = { thinking: { type: 'enabled', budget_tokens: 2_000 } };
const of = (...messages: object[]): object => ({ messages });

const CHAT_CALL = { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{}' } };
const CHAT_TOOL = { type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } };
const DEVELOPER = { role: 'developer', content: 'Be brief.' };

/** Bodies beside the model and a limit. */
const CASES: Readonly<Record<'/messages' | '/chat/completions', Readonly<Record<string, object>>>> = {
  '/messages': {
    temperature: { ...PLAIN, temperature: 0.2 },
    'a temperature above the range': { ...PLAIN, temperature: 1.5 },
    'all of sampling': { ...PLAIN, temperature: 0.2, top_p: 0.9, top_k: 5 },
    'a budget': { ...PLAIN, ...BUDGET },
    'a budget and sampling': { ...PLAIN, ...BUDGET, temperature: 0.2, top_p: 0.5, top_k: 5 },
    'adaptive thinking and a high effort': { ...PLAIN, thinking: { type: 'adaptive' }, output_config: { effort: 'xhigh' } },
    'thinking off': { ...PLAIN, thinking: { type: 'disabled' } },
    'thinking off but between tools': { ...PLAIN, thinking: { type: 'between_tools' } },
    'thinking off but between tools, and the highest effort': { ...PLAIN, thinking: { type: 'between_tools' }, output_config: { effort: 'max' } },
    'thinking off and the highest effort': { ...PLAIN, thinking: { type: 'disabled' }, output_config: { effort: 'max' } },
    'an effort': { ...PLAIN, output_config: { effort: 'high' } },
    'a forced tool': { ...PLAIN, tools: [TOOL], tool_choice: { type: 'tool', name: 'look' } },
    'a forced tool and thinking': { ...PLAIN, ...BUDGET, tools: [TOOL], tool_choice: { type: 'any' } },
    'instructions behind a user': of(HELLO, NOTE),
    'instructions in front': of(NOTE, HELLO),
    'instructions between a user and an assistant': of(HELLO, NOTE, ANSWER, HELLO),
    'instructions behind an assistant': of(HELLO, ANSWER, NOTE, HELLO),
    'instructions before a user': of(HELLO, NOTE, HELLO),
    'instructions in a row': of(HELLO, NOTE, NOTE, ANSWER, HELLO, NOTE, NOTE),
    'instructions between a call and its result': {
      tools: [TOOL],
      ...of(HELLO, { role: 'assistant', content: [CALL] }, NOTE, { role: 'user', content: [RESULT] }),
    },
  },
  '/chat/completions': {
    'a temperature above the range': { ...PLAIN, temperature: 1.5 },
    'two samplers': { ...PLAIN, temperature: 0.2, top_p: 0.9 },
    'no effort': { ...PLAIN, reasoning_effort: 'none' },
    'the least effort': { ...PLAIN, reasoning_effort: 'minimal' },
    'a high effort': { ...PLAIN, reasoning_effort: 'high' },
    'the highest effort': { ...PLAIN, reasoning: { effort: 'max' } },
    'an effort without tokens for a budget': { ...PLAIN, reasoning_effort: 'high', max_tokens: 500 },
    'an effort and sampling': { ...PLAIN, reasoning_effort: 'high', temperature: 0.2, top_k: 3 },
    'reasoning on': { ...PLAIN, reasoning: { enabled: true } },
    'reasoning off': { ...PLAIN, reasoning: { enabled: false } },
    'a budget': { ...PLAIN, reasoning: { max_tokens: 2_000 } },
    'a budget that is too small': { ...PLAIN, reasoning: { max_tokens: 100 } },
    'a budget above the limit': { ...PLAIN, reasoning: { max_tokens: 50_000 } },
    'a forced tool and reasoning': { ...PLAIN, reasoning_effort: 'high', tools: [CHAT_TOOL], tool_choice: 'required' },
    verbosity: { ...PLAIN, verbosity: 'max' },
    'instructions behind an assistant': of(HELLO, ANSWER, NOTE, HELLO),
    'instructions of the developer in a row': of(HELLO, DEVELOPER, DEVELOPER, ANSWER, HELLO, DEVELOPER),
    'instructions between a call and its result': {
      tools: [CHAT_TOOL],
      ...of(
        HELLO,
        { role: 'assistant', content: null, tool_calls: [CHAT_CALL] },
        DEVELOPER,
        { role: 'tool', tool_call_id: 'call_1', content: 'Sun' },
      ),
    },
  },
}; // oxfmt-ignore

const REQUESTS = Object.entries(CASES).flatMap(([face, cases]) =>
  Object.entries(cases).map(([name, body]) => [face, name, body] as const),
);

describeOnEmbedded('generations of Claude', (database) => {
  const doubles = new Map<PlatformId, Double>();
  let gateway: TestGateway;

  beforeAll(async () => {
    for (const platform of new Set(PATHS.map((path) => path.platform))) {
      doubles.set(platform, await startDouble(platform));
    }
    gateway = await startGateway(database, {
      catalog: catalogOf(doubles),
      coolsDown: false,
      variables: { FAIRLEAD_FLOOD: 'wasted=10000/60s' },
    });
  }, 240_000);
  afterAll(async () => {
    await gateway?.close();
    await Promise.all([...doubles.values()].map((double) => double.close()));
  });

  const ask = async (face: string, body: JsonBody): Promise<{ status: number; text: string }> => {
    const response = await fetch(`${gateway.origin}/api/v1${face}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${API_KEY}`,
        'x-router-metadata': 'enabled',
      },
      body: JSON.stringify({ max_tokens: 4_000, ...body }),
    });
    return { status: response.status, text: await response.text() };
  };

  describe.each(PATHS)('by $id', ({ id, platform }) => {
    it.each(REQUESTS)('%s: %s', async (face, _name, body) => {
      const double = doubles.get(platform)!;
      double.violations.length = 0;
      const refused: string[] = [];
      for (const [index, model] of MODELS.entries()) {
        double.script({ parts: [{ type: 'text', text: 'Well.' }] });
        const stream = index % 2 === (face === '/messages' ? 0 : 1);
        const { status, text } = await ask(face, { model: `${id}/${model}`, stream, ...body });
        if (status !== 200 || !text.includes('Well.')) refused.push(`${model}: ${status} ${text}`);
      }
      expect({ refused, violations: double.violations }).toEqual({ refused: [], violations: [] });
    });

    it.each<[string, string, JsonBody, string[]]>([
      ['/messages', 'claude-opus-4-7', { ...PLAIN, temperature: 0.2, top_p: 0.9, top_k: 5 }, ['temperature', 'top_p', 'top_k']],
      ['/messages', 'claude-sonnet-4-5-20250929', { ...PLAIN, temperature: 0.2, top_p: 0.9 }, ['top_p']],
      ['/messages', 'claude-sonnet-4-5-20250929', { ...PLAIN, ...BUDGET, output_config: { effort: 'high' } }, ['output_config.effort']],
      ['/messages', 'claude-sonnet-4-6', { ...PLAIN, ...BUDGET, temperature: 0.2, top_k: 5 }, ['temperature', 'top_k']],
      ['/messages', 'claude-opus-5-5', { ...PLAIN, tools: [TOOL], tool_choice: { type: 'any' } }, ['tool_choice']],
      ['/messages', 'claude-opus-4-7', { ...PLAIN, ...BUDGET }, []],
      ['/chat/completions', 'claude-sonnet-4-5-20250929', { ...PLAIN, reasoning_effort: 'high' }, []],
      ['/chat/completions', 'claude-sonnet-4-5-20250929', { ...PLAIN, reasoning_effort: 'high', max_tokens: 500 }, ['output_config.effort']],
      ['/chat/completions', 'claude-sonnet-4-6', { ...PLAIN, reasoning: { max_tokens: 2_000 }, tools: [CHAT_TOOL], tool_choice: 'required' }, ['thinking']],
    ])('%s: names what %s is not sent of %j', async (face, model, body, dropped) => {
      doubles.get(platform)!.script({ parts: [{ type: 'text', text: 'Well.' }] });
      const sent = { model: `${id}/${model}`, ...body };
      const { text } = await ask(face, sent);
      expect(JSON.parse(text).router_metadata.attempts[0].dropped ?? []).toEqual(dropped);
      const format = face === '/messages' ? 'messages' : 'chat';
      const explained = await ask(`/routing/explain?format=${format}`, sent);
      expect(JSON.parse(explained.text).data.candidates[0].dropped).toEqual(dropped);
      // If endpoints must take all parameters, the same rule excludes this one.
      const required = await ask(face, { ...sent, provider: { require_parameters: true } });
      expect(required.status).toBe(dropped.length === 0 ? 200 : 404);
    }); // oxfmt-ignore

    it.each(MODELS)(
      'leaves out %s for a strict tool that it takes as another, where all is required',
      async (model) => {
        const strict = { ...TOOL, strict: true };
        const sent = { model: `${id}/${model}`, stream: true, ...PLAIN, tools: [strict] };
        const explained = await ask('/routing/explain?format=messages', sent);
        const { dropped } = JSON.parse(explained.text).data.candidates[0];
        if (model === 'claude-3-7-sonnet-20250219') expect(dropped).toEqual(['tools.0.strict']);
        doubles.get(platform)!.script({ parts: [{ type: 'text', text: 'Well.' }] });
        const { status, text } = await ask('/messages', { ...sent, provider: { require_parameters: true } });
        expect([model, status]).toEqual([model, dropped.length === 0 ? 200 : 404]);
        if (status === 404) expect(JSON.parse(text).error.availability.excluded_by).toContain('require_parameters');
      },
    );

    const LOW = { output_config: { effort: 'low' } };
    const QUIET = { role: 'system', content: [], ...LOW };
    const EFFORT = 'messages.output_config';
    const CLEAR = 'messages.clear_at';
    /** By this path no turn of instructions reaches the model as such. */
    const isConverse = id === 'converse';
    it.each<[name: string, model: string, turns: object[], sent: string[], requestEffort: string | undefined, dropped: string[]]>([
      ['an effort of a user', 'claude-sonnet-4-5-20250929', [{ ...HELLO, ...LOW }], [], undefined, [EFFORT]],
      ['an effort of a user', 'claude-opus-5', [{ ...HELLO, ...LOW }], [], undefined, [EFFORT]],
      ['fields of instructions', 'claude-opus-5', [HELLO, { ...NOTE, ...LOW, clear_at: 'never' }], ['output_config', 'clear_at'], undefined, []],
      ['fields of instructions', 'claude-opus-4-7', [HELLO, { ...NOTE, ...LOW, clear_at: 'never' }], [], 'low', [CLEAR]],
      ['fields of instructions elsewhere', 'claude-opus-5', [NOTE, { ...NOTE, clear_at: 'never' }, HELLO], [], undefined, [CLEAR]],
      ['an effort alone', 'claude-opus-5', [HELLO, QUIET], ['output_config'], undefined, []],
      ['an effort alone, without content', 'claude-opus-5-5', [HELLO, { role: 'system', ...LOW }], ['output_config'], undefined, []],
      ['an effort alone before the user', 'claude-sonnet-5-5', [HELLO, ANSWER, QUIET, HELLO], ['output_config'], undefined, []],
      ['an effort alone beside instructions', 'claude-opus-5', [HELLO, NOTE, QUIET], ['output_config'], undefined, []],
      ['an effort of instructions elsewhere', 'claude-opus-5', [HELLO, ANSWER, { ...NOTE, ...LOW }, HELLO], ['output_config'], undefined, []],
      ['an effort alone', 'claude-opus-4-7', [HELLO, QUIET], [], 'low', []],
      ['an effort alone before the user', 'claude-sonnet-4-6', [HELLO, ANSWER, QUIET, HELLO], [], 'low', []],
      ['an effort that another one follows', 'claude-opus-4-7', [HELLO, QUIET, ANSWER, HELLO, { ...QUIET, output_config: { effort: 'max' } }], [], 'max', []],
      ...(id === 'direct' ? [] : [['a field that nobody knows', 'claude-opus-5', [{ ...HELLO, mood: 'calm' }], [], undefined, ['messages.mood']] as [string, string, object[], string[], undefined, string[]]]),
      ['fields without effect', 'claude-opus-5', [{ ...HELLO, output_config: null, clear_at: null }], [], undefined, []],
    ])('sends of %s what %s takes, and names the rest: %j', async (_name, model, messages, taken, requestEffort, refused) => {
      const double = doubles.get(platform)!;
      double.violations.length = 0;
      // Clouds take the effort alone; by Converse it is that of the request.
      const kept = isConverse ? [] : taken.filter((field) => id === 'direct' || field === 'output_config');
      const dropped = [...refused, ...(taken.includes('clear_at') && !kept.includes('clear_at') ? [CLEAR] : [])];
      const effort = isConverse && taken.includes('output_config') ? 'low' : requestEffort;
      for (const stream of [false, true]) {
        double.script({ parts: [{ type: 'text', text: 'Well.' }] });
        const sent = { model: `${id}/${model}`, stream, messages };
        const { status, text } = await ask('/messages', sent);
        expect([status, text]).toEqual([200, expect.stringContaining('Well.')]);
        if (!stream) expect([...(JSON.parse(text).router_metadata.attempts[0].dropped ?? [])].sort()).toEqual(dropped.sort());
        const { body, headers } = double.calls.at(-1)!;
        const turns = JSON.stringify(body.messages);
        for (const field of ['output_config', 'clear_at', 'mood'])
          expect([field, turns.includes(`"${field}":{`) || turns.includes(`"${field}":"`)]).toEqual([field, kept.includes(field)]);
        const fields = isConverse ? (body.additionalModelRequestFields ?? {}) : body;
        expect(fields.output_config?.effort).toBe(effort);
        const betas = [headers['anthropic-beta'], body.anthropic_beta].join();
        expect(betas.includes('mid-conversation-output-config-2026-07-01')).toBe(kept.includes('output_config'));
        expect(betas.includes('mid-conversation-system-clear-at-2026-08-21')).toBe(kept.includes('clear_at'));
      }
      expect(double.violations).toEqual([]);
    }); // oxfmt-ignore

    it.each(['between_tools', 'disabled'])('has one effort where thinking is off (%s)', async (type) => {
      const double = doubles.get(platform)!;
      double.violations.length = 0;
      for (const [model, form] of [['claude-sonnet-5-5', 'between_tools'], ['claude-opus-5', 'disabled']] as const) {
        for (const stream of [false, true]) {
          double.script({ parts: [{ type: 'text', text: 'Well.' }] });
          const sent = { model: `${id}/${model}`, stream, thinking: { type }, messages: [HELLO, QUIET] };
          const { status, text } = await ask('/messages', sent);
          expect([status, text]).toEqual([200, expect.stringContaining('Well.')]);
          const { body } = double.calls.at(-1)!;
          const fields = isConverse ? body.additionalModelRequestFields : body;
          const isOfRequest = isConverse || form === 'between_tools';
          expect([fields.thinking.type, fields.output_config?.effort]).toEqual([form, isOfRequest ? 'low' : undefined]);
        }
      }
      expect(double.violations).toEqual([]);
    }); // oxfmt-ignore

    it('refuses instructions without content that set nothing', async () => {
      const { status, text } = await ask('/messages', {
        model: `${id}/claude-opus-5`,
        messages: [HELLO, { role: 'system' }],
      });
      expect([status, text]).toEqual([400, expect.stringContaining('messages.1.content: is required')]);
    });

    it('refuses by name what no model since 4.6 continues, and lets older ones continue it', async () => {
      const double = doubles.get(platform)!;
      double.script({ parts: [{ type: 'text', text: 'Well.' }] });
      const begun = of(HELLO, { role: 'assistant', content: 'So' });
      const refused = await ask('/messages', { model: `${id}/claude-opus-4-7`, ...begun });
      expect(refused).toMatchObject({
        status: 400,
        text: expect.stringContaining('messages.1: is a last turn of the assistant'),
      });
      expect(await ask('/messages', { model: `${id}/claude-sonnet-4-5-20250929`, ...begun })).toMatchObject({
        status: 200,
      });
    });
  });
});

/** All that the requests set: what decides is the model. */
const LISTED = ['max_tokens', 'temperature', 'top_p', 'top_k', 'tools', 'tool_choice', 'reasoning', 'reasoning_effort', 'verbosity']; // oxfmt-ignore

/** Providers by their real slugs, so that what the code knows of them holds. */
function catalogOf(doubles: ReadonlyMap<PlatformId, Double>): object {
  const providers = new Map<string, object>();
  for (const { provider, platform, dialect } of PATHS) {
    const double = doubles.get(platform)!;
    providers.set(provider, {
      slug: provider,
      name: provider,
      dialect,
      platform,
      base_url: double.baseUrl(dialect),
      credential: { value: double.credentialFor(WAYS[platform][0]) },
    });
  }
  const models = PATHS.flatMap(({ id, provider, dialect, named }) =>
    MODELS.map((model) => ({
      id: `${id}/${model}`,
      name: model,
      context_length: 200_000,
      max_completion_tokens: 64_000,
      input_modalities: ['text'],
      output_modalities: ['text'],
      endpoints: [
        {
          provider,
          model: named(model),
          dialect,
          supported_parameters: LISTED,
          pricing: { prompt: '1', completion: '2' },
        },
      ],
    })),
  );
  return { version: 1, providers: [...providers.values()], models };
}
