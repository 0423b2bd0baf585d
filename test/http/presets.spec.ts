/**
 * Presets: saved from bodies of each API format, used by field, by model and by suffix, in each format; merging, tools,
 * variables; versions, statuses, workspaces, kinds of key; what records, metadata, explanations, models and the audit
 * log show. The real application over HTTP, on both databases; a strict upstream keeps what it was sent.
 */
import { DataSource } from 'typeorm';
import { API_KEY, MANAGEMENT_KEY } from '../support/app.js';
import { describeOnEachDatabase } from '../support/database.js';
import { FORMATS, PARAMETERS, PATHS, PresetCalls, TOOL, TURN, type Answer, type Format } from '../support/presets.js';
import type { JsonBody } from '../support/recorded-request.js';
import { MessagesBench } from './messages-bench.js';

const MODEL = 'test/native';
/** All that a preset may hold, in each format. */
const SAVED: Readonly<Record<Format, object>> = {
  messages: {
    model: MODEL,
    system: 'You serve {{who}} in {{place}}.',
    max_tokens: 77,
    temperature: 0.25,
    stop_sequences: ['END'],
    tools: [TOOL.messages('first', 'of the preset'), TOOL.messages('second', 'of the preset')],
    tool_choice: { type: 'tool', name: 'first' },
    messages: [{ role: 'user', content: 'not saved' }],
    stream: true,
  },
  chat: {
    model: MODEL,
    max_completion_tokens: 77,
    temperature: 0.25,
    stop: ['END'],
    tools: [TOOL.chat('first', 'of the preset'), TOOL.chat('second', 'of the preset')],
    tool_choice: { type: 'function', function: { name: 'first' } },
    messages: [
      { role: 'system', content: 'You serve {{who}} in {{place}}.' },
      { role: 'user', content: 'not saved' },
    ],
    stream: true,
    stream_options: { include_usage: true },
  },
  responses: {
    model: MODEL,
    instructions: 'You serve {{who}} in {{place}}.',
    max_output_tokens: 77,
    temperature: 0.25,
    tools: [TOOL.responses('first', 'of the preset'), TOOL.responses('second', 'of the preset')],
    tool_choice: { type: 'function', name: 'first' },
    input: 'not saved',
    stream: true,
  },
};
const VARIABLES = { preset_variables: { who: '{{place}}', place: 'Oslo' } };

describeOnEachDatabase('presets', (database) => {
  let bench: MessagesBench;
  beforeAll(async () => {
    bench = await MessagesBench.start(database);
  }, 240_000);
  afterAll(() => bench?.close());

  const presets = new PresetCalls(() => bench.gateway);
  const call = presets.call.bind(presets);
  const save = (format: Format, slug: string, body: object, key = API_KEY): Promise<JsonBody> =>
    presets.save(format, slug, body, { key });
  const sent = (): JsonBody => bench.anthropic.requests.at(-1)!.json;

  it.each(FORMATS)('saves the settings of a body of %s, and nothing of its conversation', async (format) => {
    const slug = `saved-${format}`;
    const preset = await save(format, slug, SAVED[format]);
    expect(preset).toMatchObject({ slug, name: slug, status: 'active', status_updated_at: null, description: null });
    const { designated_version: version } = preset;
    expect(version).toMatchObject({ version: 1, api: format, preset_id: preset.id, id: preset.designated_version_id });
    expect(version.system_prompt).toBe('You serve {{who}} in {{place}}.');
    const {
      messages: _,
      input: __,
      system: ___,
      instructions: ____,
      stream,
      stream_options: _____,
      ...config
    } = SAVED[format] as JsonBody;
    expect([version.config, stream]).toEqual([config, true]);
    // The order of keys is what models see.
    expect(JSON.stringify(version.config.tools)).toContain(JSON.stringify(PARAMETERS));
    const again = await save(format, slug, { ...SAVED[format], temperature: 0.5 });
    expect([again.id, again.designated_version.version, again.created_at]).toEqual([preset.id, 2, preset.created_at]);
    const { body: versions } = await call('GET', `/presets/${slug}/versions?limit=1&offset=1`);
    expect(versions).toEqual({ data: [version], total_count: 2 });
    expect((await call('GET', `/presets/${slug}/versions/1`)).body.data).toEqual(version);
    expect((await call('GET', `/presets/${slug}`)).body.data).toEqual(again);
  });

  describe.each(FORMATS)('saved from %s', (from) => {
    beforeAll(() => save(from, `of-${from}`, SAVED[from]));

    it.each(FORMATS)('completes requests of %s', async (format) => {
      const stops = from === 'responses' || format === 'responses' ? undefined : ['END'];
      const { max_tokens: _, ...turn } = TURN[format] as JsonBody;
      const { body, status, headers } = await call('POST', PATHS[format], {
        ...turn,
        ...VARIABLES,
        preset: `of-${from}`,
      });
      expect([body.error, status]).toEqual([undefined, 200]);
      expect(sent()).toMatchObject({ max_tokens: 77, temperature: 0.25, tool_choice: { type: 'tool', name: 'first' } });
      expect(JSON.stringify(sent().system)).toContain('You serve {{place}} in Oslo.');
      expect(sent().stop_sequences).toEqual(stops);
      expect(sent().tools.map(({ name, description }: JsonBody) => [name, description])).toEqual([
        ['first', 'of the preset'],
        ['second', 'of the preset'],
      ]);
      expect(JSON.stringify(sent().tools[0])).toContain(JSON.stringify(PARAMETERS.properties));
      expect(JSON.stringify(sent())).not.toMatch(/preset_variables|of-messages|not saved/);
      if (from === 'messages' && format === 'responses') expect(headers.get('x-fairlead-warning')).toBeNull();
    });
  });

  it.each(FORMATS)('lets a request of %s replace settings whole, and unites tools in order', async (format) => {
    await save(format, `base-${format}`, SAVED[format]);
    const tools = [TOOL[format]('third', 'of the request'), TOOL[format]('first', 'of the request')];
    const own = {
      messages: { max_tokens: 5, system: 'Mine.' },
      chat: { max_tokens: 5 },
      responses: { max_output_tokens: 5, instructions: 'Mine.' },
    }[format];
    const turn =
      format === 'chat'
        ? {
            messages: [
              { role: 'system', content: 'Mine.' },
              { role: 'user', content: 'Hi' },
            ],
          }
        : TURN[format];
    const { status, body } = await call('POST', PATHS[format], {
      ...turn,
      ...own,
      temperature: 0.75,
      tools,
      model: `${MODEL}@preset/base-${format}`,
    });
    expect([body.error, status]).toEqual([undefined, 200]);
    expect(sent()).toMatchObject({ max_tokens: 5, temperature: 0.75 });
    expect(JSON.stringify(sent().system)).toContain('Mine.');
    expect(JSON.stringify(sent().system)).not.toContain('serve');
    expect(sent().tools.map(({ name, description }: JsonBody) => [name, description])).toEqual([
      ['first', 'of the request'],
      ['second', 'of the preset'],
      ['third', 'of the request'],
    ]);
  });

  it('is named by model alone, by a suffix and by a field, and is recorded', async () => {
    const preset = await save('messages', 'named', { model: MODEL, max_tokens: 9 });
    for (const named of [
      { model: '@preset/named' },
      { model: `${MODEL}@preset/named` },
      { preset: 'named' },
      { model: MODEL, preset: 'named' },
      { preset: 'named', model: '@preset/named' },
    ]) {
      const { status, headers, body } = await call(
        'POST',
        '/messages',
        { messages: [{ role: 'user', content: 'Hi' }], ...named },
        { headers: { 'x-router-metadata': 'enabled' } },
      );
      expect([body.error, status]).toEqual([undefined, 200]);
      expect(body.router_metadata.pipeline).toEqual([{ type: 'preset', name: 'named', data: { version: 1 } }]);
      const { data } = await bench.gateway.manage('GET', `/generation?id=${headers.get('x-generation-id')}`);
      expect([data.preset_id, data.requested_model]).toEqual([preset.id, MODEL]);
    }
    const counted = await call('POST', '/messages/count_tokens', {
      messages: [{ role: 'user', content: 'Hi' }],
      preset: 'named',
    });
    expect([counted.body.error, counted.status]).toEqual([undefined, 200]);
    const { data } = await bench.gateway
      .manage('POST', '/routing/explain', { model: '@preset/named', messages: [{ role: 'user', content: 'Hi' }] })
      .catch((error: unknown) => ({ data: error }));
    expect(data).toMatchObject({ preset: { id: preset.id, slug: 'named', version: 1 }, requested: MODEL });
    const streamed = await bench.gateway.request('/chat/completions', {
      method: 'POST',
      key: API_KEY,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...TURN.chat, stream: true, preset: 'named' }),
    });
    expect([streamed.status, (await streamed.text()).includes('[DONE]')]).toEqual([200, true]);
  });

  it('lists presets with a model among the models of the key, and takes what it lists', async () => {
    await save('chat', 'listed', { model: MODEL });
    await call('PATCH', '/presets/listed', { name: 'Listed', description: 'For lists.' });
    await save('chat', 'no-model', { temperature: 0 });
    const { body } = await call('GET', '/models/user?limit=1000');
    const ids = body.data.map(({ id }: JsonBody) => id);
    expect(ids).toContain('@preset/listed');
    expect(ids).not.toContain('@preset/no-model');
    const [entry, model] = ['@preset/listed', MODEL].map((id) => body.data.find((one: JsonBody) => one.id === id));
    expect(entry).toMatchObject({
      name: 'Listed',
      pricing: model.pricing,
      context_length: model.context_length,
    });
    expect((await call('POST', '/chat/completions', { ...TURN.chat, model: entry.id })).status).toBe(200);
    expect((await call('GET', '/models')).body.data.some(({ id }: JsonBody) => id.includes('preset'))).toBe(false);
  });

  it.each<[string, object, number, string]>([
    ['an unknown one', { preset: 'none' }, 404, 'there is no preset'],
    ['a slug of other characters', { model: '@preset/A b\u0000!' }, 404, 'there is no preset'],
    ['two', { preset: 'strict', model: '@preset/other' }, 400, 'preset: differs'],
    [
      'a missing variable',
      { preset: 'strict', preset_variables: { who: 'x' } },
      400,
      'preset_variables.place: is required',
    ],
    ['no variables', { preset: 'strict' }, 400, 'preset_variables.who: is required'],
    [
      'variables of another type',
      { preset: 'strict', preset_variables: { who: 1 } },
      400,
      'preset_variables.who: must be a string',
    ],
    [
      'variables that are no object',
      { preset: 'strict', preset_variables: [] },
      400,
      'preset_variables: must be an object',
    ],
    ['an inherited name', { preset: 'proto' }, 400, 'preset_variables.constructor: is required'],
    [
      'too many variables',
      { preset: 'strict', preset_variables: Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`v${n}`, ''])) },
      400,
      'at most 100',
    ],
    ['a name of other characters', { preset: 'strict', preset_variables: { 'a-b': '' } }, 400, 'letters, digits'],
    ['a slug as long as a body', { preset: 'x'.repeat(1_000_000) }, 404, 'there is no preset'],
    [
      'values that fill a prompt without bound',
      { preset: 'wide', preset_variables: { a: 'x'.repeat(100_000) } },
      400,
      'preset_variables.a: fills the prompts of the preset with more than 2000000 characters',
    ],
    ['a preset without a model', { preset: 'model-less' }, 400, 'model: is required'],
    ['a preset of another type', { model: MODEL, preset: 5 }, 400, 'preset: must be'],
  ])('refuses %s', async (_, named, status, words) => {
    await save('messages', 'strict', SAVED.messages);
    await save('messages', 'wide', { model: MODEL, system: '{{a}}'.repeat(21) });
    await save('messages', 'model-less', { temperature: 1 });
    await save('messages', 'proto', { model: MODEL, system: '{{constructor}}' });
    const answer = await call('POST', '/messages', { ...TURN.messages, ...named });
    expect([answer.body.error?.message, answer.status]).toEqual([expect.stringContaining(words), status]);
  });

  it('is used only while it is active, and by its designated version', async () => {
    await save('messages', 'versions', { model: MODEL, max_tokens: 1 });
    const { designated_version_id: second } = await save('messages', 'versions', { model: MODEL, max_tokens: 2 });
    const use = async (): Promise<Answer> =>
      call('POST', '/messages', { messages: [{ role: 'user', content: 'Hi' }], preset: 'versions' });
    await use();
    expect(sent().max_tokens).toBe(2);
    const { body } = await call('PATCH', '/presets/versions', { designated_version: 1 });
    expect(body.data.designated_version).toMatchObject({ version: 1, config: { max_tokens: 1 } });
    expect(body.data.designated_version_id).not.toBe(second);
    await use();
    expect(sent().max_tokens).toBe(1);
    for (const status of ['disabled', 'archived'] as const) {
      const changed = await call('PATCH', '/presets/versions', { status });
      expect(changed.body.data).toMatchObject({ status, status_updated_at: expect.stringMatching(/Z$/) });
      expect(await use()).toMatchObject({ status: 400, body: { error: { message: expect.stringContaining(status) } } });
    }
    for (const [changes, words] of [
      [{ designated_version: 3 }, 'there is no such version'],
      [{ designated_version: 0 }, 'must be at least 1'],
      [{ status: 'gone' }, 'must be one of'],
      [{ nam: 'x' }, 'did you mean name'],
    ] as const) {
      const refused = await call('PATCH', '/presets/versions', changes);
      expect([refused.body.error?.message, refused.status]).toEqual([expect.stringContaining(words), 400]);
    }
    expect((await call('DELETE', '/presets/versions')).body).toEqual({ deleted: true });
    expect((await use()).status).toBe(404);
    expect((await call('GET', '/presets/versions')).status).toBe(404);
  });

  it('shows numbers as they were sent, which a double would change', async () => {
    const numbers = '[9007199254740993,1.00000000000000001,1e400]';
    const body = `{"tools":[{"type":"function","function":{"name":"f","parameters":{"enum":${numbers}}}}]}`;
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
    const request = (path: string, more: RequestInit = {}): Promise<Response> => bench.gateway.request(path, more);
    for (const [path, more] of [
      ['/presets/exact/chat/completions', init],
      ['/presets/exact', {}],
      ['/presets/exact', { ...init, method: 'PATCH', body: '{"description":"exact"}' }],
      ['/presets/exact/versions', {}],
      ['/presets/exact/versions/1', {}],
    ] as const) {
      const response = await request(path, more);
      expect([path, response.status, response.headers.get('content-type')]).toEqual([path, 200, 'application/json; charset=utf-8']); // oxfmt-ignore
      expect(await response.text()).toContain(`"enum":${numbers}`);
    }
    await call('DELETE', '/presets/exact');
  });

  it.each<[Format, object, string]>([
    ['messages', { temperature: 'hot' }, 'temperature'],
    ['messages', { tools: [{ name: '' }] }, 'tools.0'],
    ['chat', { reasoning_effort: 'lots' }, 'reasoning_effort'],
    ['responses', { store: true }, 'store'],
    ['chat', { preset: 'refused' }, 'a preset cannot name a preset'],
    ['messages', { model: `${MODEL}@preset/refused` }, 'a preset cannot name a preset'],
    ['chat', { models: [MODEL, '@preset/refused'] }, 'models: a preset cannot name a preset'],
    ['messages', { models: [`${MODEL}@preset/refused`] }, 'models: a preset cannot name a preset'],
    ['messages', { fallbacks: [{ model: '@preset/refused' }] }, 'fallbacks: a preset cannot name a preset'],
    ['responses', { models: ['@preset/refused'] }, 'models: a preset cannot name a preset'],
    ['chat', { cache_enabled: 'yes' }, 'cache_enabled'],
    ['chat', { cache_ttl_seconds: 86_401 }, 'cache_ttl_seconds'],
  ])('does not save an invalid body of %s: %j', async (format, body, words) => {
    const answer = await call('POST', `/presets/refused${PATHS[format]}`, body);
    expect([answer.body.error?.message, answer.status]).toEqual([expect.stringContaining(words), 400]);
    expect((await call('GET', '/presets/refused')).status).toBe(404);
  });

  it('belongs to a workspace, whose keys of either kind manage it', async () => {
    const { data: workspace } = await bench.gateway.manage('POST', '/workspaces', {
      name: 'Other',
      slug: 'other-presets',
    });
    const { key } = await bench.gateway.newKey({ workspace_id: workspace.id });
    const mine = await save('messages', 'shared', { model: MODEL, max_tokens: 1 });
    const other = await save('messages', 'shared', { model: MODEL, max_tokens: 2 }, key);
    expect([mine.workspace_id, other.workspace_id]).toEqual([expect.not.stringMatching(workspace.id), workspace.id]);
    await call('POST', '/messages', { messages: [{ role: 'user', content: 'Hi' }], preset: 'shared' }, { key });
    expect(sent().max_tokens).toBe(2);
    const bound = await bench.gateway.newKey({ workspace_id: workspace.id, kind: 'management' });
    for (const [with_, path] of [
      [MANAGEMENT_KEY, '/presets/shared?workspace_id=other-presets'],
      [bound.key, '/presets/shared'],
      [key, '/presets/shared'],
    ] as const)
      expect((await call('GET', path, undefined, { key: with_ })).body.data).toMatchObject({ id: other.id });
    expect((await call('GET', '/presets/shared', undefined, { key: MANAGEMENT_KEY })).body.data.id).toBe(mine.id);
    expect((await call('GET', '/presets', undefined, { key })).body).toMatchObject({
      data: [{ id: other.id }],
      total_count: 1,
    });
    for (const with_ of [key, bound.key])
      expect((await call('GET', `/presets?workspace_id=${mine.workspace_id}`, undefined, { key: with_ })).status).toBe(
        404,
      );
    const { data: audit } = await bench.gateway.manage('GET', `/audit?target=${other.id}`);
    expect(audit.map(({ action }: JsonBody) => action)).toEqual(['preset.create']);
    expect(JSON.stringify(audit)).not.toContain('max_tokens');
  });

  it('still obeys the policies of the key', async () => {
    await save('chat', 'forbidden', { model: MODEL });
    const { key } = await bench.gateway.newKey({ allowed_models: ['other/*'] });
    expect((await call('POST', '/chat/completions', { ...TURN.chat, preset: 'forbidden' }, { key })).status).toBe(403);
    expect((await call('GET', '/models/user', undefined, { key })).body.data).toEqual([]);
  });

  it('numbers versions without gaps when many are saved at once', async () => {
    const saved = await Promise.all(
      Array.from({ length: 20 }, (_, n) => save('messages', 'racing', { max_tokens: n + 1 })),
    );
    expect(saved.map((one) => one.designated_version.version).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 20 }, (_, n) => n + 1),
    );
    const { body } = await call('GET', '/presets/racing/versions?limit=100');
    expect(body.total_count).toBe(20);
  });

  it('has ten thousand versions at most', async () => {
    const { id } = await save('messages', 'full', { model: MODEL, max_tokens: 1 });
    await bench.gateway.gateway.app.get(DataSource, { strict: false }).query(
      `INSERT INTO preset_versions (id, preset_id, version, api, creator_id, config, system_prompt, created_at)
       SELECT gen_random_uuid(), preset_id, number, api, creator_id, config, system_prompt, created_at
       FROM preset_versions, generate_series(2, 9999) AS number WHERE preset_id = $1`,
      [id],
    );
    expect((await save('messages', 'full', { model: MODEL, max_tokens: 2 })).designated_version.version).toBe(10_000);
    const refused = await call('POST', '/presets/full/messages', { model: MODEL });
    expect([refused.status, refused.body.error.message]).toEqual([409, expect.stringContaining('10000')]);
    const last = await call('GET', '/presets/full/versions?offset=9999&limit=1');
    expect([last.body.total_count, last.body.data[0].version]).toEqual([10_000, 1]);
    await call('DELETE', '/presets/full');
  });
});
