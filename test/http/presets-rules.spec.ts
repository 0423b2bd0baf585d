/**
 * Presets beside the rest of the gateway: named in each way and format; their bad input; ten thousand versions;
 * repetitions of requests whose preset has changed or gone; guardrails, tags and allowed models over the fields of a
 * preset; presets in explanations, metadata and the audit log; keys of other workspaces. The real application over
 * HTTP, on both databases.
 */
import { DataSource } from 'typeorm';
import { anthropicError, anthropicText } from '../support/anthropic-upstream.js';
import { MANAGEMENT_KEY } from '../support/app.js';
import { describeOnEachDatabase } from '../support/database.js';
import { LedgerReader } from '../support/ledger-reader.js';
import {
  FORMATS,
  PATHS,
  PresetCalls,
  SYSTEM,
  TURN,
  type Answer,
  type Format,
  type Sender,
} from '../support/presets.js';
import type { JsonBody } from '../support/recorded-request.js';
import { json } from '../support/upstream-answers.js';
import { after, gate, MessagesBench } from './messages-bench.js';

const MODEL = 'test/native';
const REPLAY = 'x-fairlead-idempotent-replay';

describeOnEachDatabase('presets and other rules', (database) => {
  let bench: MessagesBench;
  let slugs = 0;
  beforeAll(async () => {
    bench = await MessagesBench.start(database);
  }, 240_000);
  afterAll(() => bench?.close());

  const presets = new PresetCalls(() => bench.gateway);
  const call = presets.call.bind(presets);
  /** @returns the slug of a preset with these settings */
  async function save(
    format: Format,
    settings: object,
    slug = `rules-${++slugs}`,
    sender: Sender = {},
  ): Promise<string> {
    await presets.save(format, slug, settings, sender);
    return slug;
  }
  const ask = (format: Format, more: object, sender: Sender = {}): Promise<Answer> =>
    call('POST', PATHS[format], { ...TURN[format], ...more }, sender);
  const calls = (): number => bench.anthropic.requests.length;
  const sent = (): JsonBody => bench.anthropic.requests.at(-1)!.json;
  const query = (sql: string, values: unknown[] = []): Promise<JsonBody[]> =>
    bench.gateway.gateway.app.get(DataSource, { strict: false }).query(sql, values);
  const usedCredits = async (): Promise<number> => {
    await new LedgerReader(bench.gateway).rest();
    return (await bench.gateway.manage('GET', '/credits')).data.total_usage;
  };

  describe.each(FORMATS)('%s', (format) => {
    it('takes the field, the model alone and the suffix, and says which version answered', async () => {
      const slug = await save(format, { model: MODEL, temperature: 0.5, ...SYSTEM[format]('Old.') });
      await save(format, { model: MODEL, temperature: 0.25, ...SYSTEM[format]('Now.') }, slug);
      const { id } = (await call('GET', `/presets/${slug}`)).body.data;
      for (const named of [
        { preset: slug },
        { model: `@preset/${slug}` },
        { model: `${MODEL}@preset/${slug}` },
        { model: MODEL, preset: slug },
        { model: `${MODEL}@preset/${slug}`, preset: slug },
      ]) {
        const { status, headers, body } = await ask(format, named, { headers: { 'x-router-metadata': 'enabled' } });
        expect([named, status]).toEqual([named, 200]);
        expect(sent().temperature).toBe(0.25);
        expect(JSON.stringify(sent().system)).toContain('Now.');
        expect(body.router_metadata.pipeline).toEqual([{ type: 'preset', name: slug, data: { version: 2 } }]);
        const record = await bench.gateway.manage('GET', `/generation?id=${headers.get('x-generation-id')}`);
        expect(record.data.preset_id).toBe(id);
        const explained = await bench.gateway.manage('POST', `/routing/explain?format=${format}`, { ...TURN[format], ...named }); // oxfmt-ignore
        expect(explained.data.preset).toEqual({ id, slug, version: 2 });
      }
    });

    it.each<[string, object, string]>([
      ['a variable without a value', { who: 'x' }, 'preset_variables.place: is required, as the preset refers to it'],
      ['no variables', {}, 'preset_variables.who: is required'],
      ['101 variables', Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`v${n}`, ''])), 'preset_variables: must have at most 100'],
      ['a name of 65 characters', { ['n'.repeat(65)]: '' }, 'preset_variables'],
      ['a value of 100,001 characters', { who: 'x'.repeat(100_001), place: '' }, 'preset_variables.who: must be at most 100000 characters'],
    ])('refuses %s by its name', async (_, variables, words) => {
      const slug = await save(format, { model: MODEL, ...SYSTEM[format]('Serve {{who}} in {{place}}.') });
      const before = calls();
      const { status, body } = await ask(format, { preset: slug, preset_variables: variables });
      expect([status, body.error.message]).toEqual([400, expect.stringContaining(words)]);
      expect(calls()).toBe(before);
    }); // oxfmt-ignore

    it('takes a hundred variables, names of 64 and values of 100,000 characters', async () => {
      const long = 'n'.repeat(64);
      const slug = await save(format, { model: MODEL, ...SYSTEM[format](`{{${long}}}|{{v0}}`) });
      const values = Object.fromEntries(Array.from({ length: 99 }, (_, n) => [`v${n}`, `value ${n}`]));
      const { status } = await ask(format, {
        preset: slug,
        preset_variables: { ...values, [long]: 'x'.repeat(100_000) },
      });
      expect(status).toBe(200);
      expect(JSON.stringify(sent().system)).toContain(`${'x'.repeat(100_000)}|value 0`);
    });

    it('refuses a preset that names itself, however it came to be, and calls nobody', async () => {
      const slug = await save(format, { model: MODEL });
      const before = calls();
      for (const config of [{ preset: slug }, { model: `@preset/${slug}` }, { model: `${MODEL}@preset/${slug}` }]) {
        const saved = await call('POST', `/presets/${slug}${PATHS[format]}`, config);
        expect([saved.status, saved.body.error.message]).toEqual([400, 'preset: a preset cannot name a preset']);
        await query(
          `UPDATE preset_versions v SET config = $1 FROM presets p WHERE v.preset_id = p.id AND p.slug = $2`,
          [JSON.stringify(config), slug],
        );
        // What is in memory is forgotten by a change.
        await call('PATCH', `/presets/${slug}`, { name: JSON.stringify(config) });
        const { status, body } = await ask(format, { preset: slug });
        expect([status, body.error.message]).toEqual([400, `preset: ${slug} names a preset, and cannot be used`]);
        const listed = await call('GET', '/models/user?limit=1000');
        expect(listed.status).toBe(200);
      }
      expect(calls()).toBe(before);
      await call('DELETE', `/presets/${slug}`);
    });

    it.each([false, true])('repeats a request, streamed %s, whatever has become of its preset', async (stream) => {
      const credits = await usedCredits();
      const before = calls();
      const slug = await save(format, { model: MODEL, ...SYSTEM[format]('First.') });
      bench.anthropic.script(anthropicText('Said once.'));
      const repeated = { headers: { 'idempotency-key': `preset ${slug}` } };
      const first = await ask(format, { preset: slug, stream }, repeated);
      expect([first.status, first.headers.get(REPLAY)]).toEqual([200, null]);
      bench.anthropic.script(anthropicText('Said anew.'));
      const expectReplay = async (): Promise<void> => {
        const again = await ask(format, { preset: slug, stream }, repeated);
        expect([again.status, again.headers.get(REPLAY), again.text]).toEqual([200, 'true', first.text]);
        for (const name of ['content-type', 'x-generation-id'])
          expect(again.headers.get(name)).toBe(first.headers.get(name));
      };
      // Another version; one that requires a value; one without a model; no longer active; gone.
      for (const settings of [{ model: MODEL, ...SYSTEM[format]('Second.') }, { model: MODEL, ...SYSTEM[format]('{{who}}') }, { temperature: 0 }]) {
        await save(format, settings, slug);
        await expectReplay();
      } // oxfmt-ignore
      await call('PATCH', `/presets/${slug}`, { status: 'archived' });
      await expectReplay();
      await call('DELETE', `/presets/${slug}`);
      await expectReplay();
      const other = await ask(format, { preset: slug, stream, temperature: 1 }, repeated);
      expect([other.status, other.body.error.metadata.error_type]).toEqual([409, 'idempotency_conflict']);
      const anew = await ask(format, { preset: slug, stream }, { headers: { 'idempotency-key': `new ${slug}` } });
      expect([anew.status, anew.body.error.message]).toEqual([404, expect.stringContaining('there is no preset')]);
      const empty = await ask(format, { preset: slug, stream }, { headers: { 'idempotency-key': 'ü' } });
      expect([empty.status, empty.body.error.message]).toEqual([400, expect.stringContaining('idempotency-key')]);
      expect(calls()).toBe(before + 1);
      const { data } = await bench.gateway.manage('GET', `/generation?id=${first.headers.get('x-generation-id')}`);
      expect((await usedCredits()) - credits).toBeCloseTo(data.total_cost, 10);
    });
  });

  it('joins a running request whose preset is deleted meanwhile', async () => {
    const slug = await save('messages', { model: MODEL });
    const before = calls();
    const held = gate();
    bench.anthropic.script(after(held.opened, anthropicText('For both.')));
    const repeated = { headers: { 'idempotency-key': `running ${slug}` } };
    const first = ask('messages', { preset: slug }, repeated);
    await bench.anthropic.request(before);
    await call('DELETE', `/presets/${slug}`);
    const second = ask('messages', { preset: slug }, repeated);
    held.open();
    const [one, two] = await Promise.all([first, second]);
    expect([one.status, two.status, two.headers.get(REPLAY), two.text]).toEqual([200, 200, 'true', one.text]);
    expect(calls()).toBe(before + 1);
  });

  it('does not repeat what was refused, and counts tokens of no preset that is gone', async () => {
    const slug = await save('messages', { model: MODEL });
    const repeated = { headers: { 'idempotency-key': `refused ${slug}` } };
    bench.anthropic.script(() => json(anthropicError('overloaded_error', 'Later.'), 529));
    expect((await ask('messages', { preset: slug }, repeated)).status).toBe(529);
    bench.anthropic.script(anthropicText('Now.'));
    const again = await ask('messages', { preset: slug }, repeated);
    expect([again.status, again.headers.get(REPLAY)]).toEqual([200, null]);
    await call('DELETE', `/presets/${slug}`);
    const counted = await call('POST', '/messages/count_tokens', { ...TURN.messages, preset: slug }, repeated);
    expect(counted.status).toBe(404);
  });

  describe('rules of the caller', () => {
    const guarded = async (terms: object): Promise<Sender> => ({ key: (await bench.gateway.guardedKey(terms)).key });
    const refusal = async (format: Format, more: object, by: Sender): Promise<[number, string, number]> => {
      const before = calls();
      const { status, body } = await ask(format, more, by);
      return [status, body.error.message, calls() - before];
    };

    it.each(FORMATS)('filter the system prompt and the tools of a preset of %s, and the values of its variables', async (format) => {
      const tool = {
        messages: { name: 'lookup', description: 'Asks the oracle.', input_schema: { type: 'object', properties: {} } },
        chat: { type: 'function', function: { name: 'lookup', description: 'Asks the oracle.', parameters: { type: 'object', properties: {} } } },
        responses: { type: 'function', name: 'lookup', description: 'Asks the oracle.', parameters: { type: 'object', properties: {} } },
      }[format];
      const bySystem = await save(format, { model: MODEL, ...SYSTEM[format]('You are the oracle.') });
      const byTool = await save(format, { model: MODEL, tools: [tool] });
      const byValue = await save(format, { model: MODEL, ...SYSTEM[format]('You are {{who}}.') });
      const uses = [{ preset: bySystem }, { preset: byTool }, { preset: byValue, preset_variables: { who: 'the oracle' } }];
      const blocking = await guarded({ content_filters: [{ pattern: 'oracle', action: 'block', label: 'names' }] });
      for (const use of uses)
        expect(await refusal(format, use, blocking)).toEqual([403, expect.any(String), 0]);
      const redacting = await guarded({ content_filters: [{ pattern: 'oracle', action: 'redact', label: 'names' }] });
      for (const use of uses) {
        expect((await ask(format, use, redacting)).status).toBe(200);
        expect(JSON.stringify(sent())).toContain('the [REDACTED:names]');
        expect(JSON.stringify(sent())).not.toContain('oracle');
      }
      // Without a rule it is sent as it was saved.
      expect((await ask(format, uses[0]!)).status).toBe(200);
      expect(JSON.stringify(sent())).toContain('You are the oracle.');
    }); // oxfmt-ignore

    it.each(FORMATS)('restrict the models and providers of a preset of %s', async (format) => {
      const models = await save(format, { model: MODEL });
      for (const key of [{ allowed_models: ['other/*'] }, { ignored_models: [MODEL] }])
        expect(await refusal(format, { preset: models }, await guarded(key))).toEqual([403, expect.any(String), 0]);
      const { key } = await bench.gateway.newKey({ allowed_models: ['other/*'] });
      expect(await refusal(format, { preset: models }, { key })).toEqual([403, expect.any(String), 0]);
      const only = await save(format, { model: MODEL, provider: { only: ['p0'] } });
      expect(await refusal(format, { preset: only }, await guarded({ ignored_providers: ['p0'] }))).toEqual([404, expect.any(String), 0]); // oxfmt-ignore
      const fallback = await save(format, { model: 'test/translated', models: [MODEL] });
      const native = await guarded({ allowed_models: [MODEL] });
      const { status, body } = await ask(format, { preset: fallback }, native);
      expect([status, body.model]).toEqual([200, MODEL]);
    });

    it.each(FORMATS)('require tags, which a preset of %s may have', async (format) => {
      const slug = `tags-${format}`;
      const { data } = await bench.gateway.manage('POST', '/workspaces', { name: slug, slug, required_tags: ['team'] });
      const by = { key: (await bench.gateway.newKey({ workspace_id: data.id })).key };
      const without = await save(format, { model: MODEL }, undefined, by);
      expect(await refusal(format, { preset: without }, by)).toEqual([400, expect.stringContaining('team'), 0]);
      const tagged = await save(format, { model: MODEL, trace: { tags: { team: 'search' } } }, undefined, by);
      const { status, headers } = await ask(format, { preset: tagged }, by);
      expect(status).toBe(200);
      const record = await bench.gateway.manage('GET', `/generation?id=${headers.get('x-generation-id')}`);
      expect(record.data.tags).toEqual({ team: 'search' });
    });
  });

  it('records each change in the audit log, without the settings', async () => {
    const slug = await save('messages', { model: MODEL, max_tokens: 11, system: 'A secret prompt.' });
    await save('messages', { model: MODEL, max_tokens: 12 }, slug);
    const { id } = (await call('GET', `/presets/${slug}`)).body.data;
    await call('PATCH', `/presets/${slug}`, { designated_version: 1 });
    // Nothing changes: nothing is recorded.
    await call('PATCH', `/presets/${slug}`, { designated_version: 1 });
    await call('PATCH', `/presets/${slug}`, { status: 'disabled', description: 'Off.' });
    await call('DELETE', `/presets/${slug}`);
    const { data } = await bench.gateway.manage('GET', `/audit?target=${id}`);
    const rows = (data as JsonBody[]).toReversed();
    expect(rows.map(({ action }) => action)).toEqual([
      'preset.create',
      'preset.update',
      'preset.update',
      'preset.update',
      'preset.delete',
    ]);
    const [created, version, designated, patched, deleted] = rows.map(({ before, after: state }) => ({
      before,
      state,
    }));
    expect(created!.state).toMatchObject({ slug, status: 'active' });
    expect(version!.state).toMatchObject({ version: 2 });
    expect(version!.state.designated_version_id).not.toBe(version!.before.designated_version_id);
    expect(designated!.state).toMatchObject({
      version: 1,
      designated_version_id: created!.state.designated_version_id,
    });
    expect(patched!.before).toMatchObject({ status: 'active', description: null });
    expect(patched!.state).toMatchObject({ status: 'disabled', description: 'Off.' });
    expect(deleted!.before).toMatchObject({ slug, status: 'disabled' });
    expect(JSON.stringify(data)).not.toMatch(/secret prompt|max_tokens/);
  });

  it('is unknown to keys of another workspace, at each of its routes', async () => {
    const { data } = await bench.gateway.manage('POST', '/workspaces', { name: 'Apart', slug: 'apart-presets' });
    const slug = await save('chat', { model: MODEL });
    const keys = [
      await bench.gateway.newKey({ workspace_id: data.id }),
      await bench.gateway.newKey({ workspace_id: data.id, kind: 'management' }),
    ];
    const before = calls();
    for (const { key } of keys) {
      for (const [method, path, body] of [
        ['GET', `/presets/${slug}`],
        ['GET', `/presets/${slug}/versions`],
        ['GET', `/presets/${slug}/versions/1`],
        ['PATCH', `/presets/${slug}`, { name: 'Mine' }],
        ['DELETE', `/presets/${slug}`],
      ] as const)
        expect([method, path, (await call(method, path, body, { key })).status]).toEqual([method, path, 404]);
      expect((await call('GET', '/presets', undefined, { key })).body).toEqual({ data: [], total_count: 0 });
    }
    const { key } = keys[0]!;
    for (const format of FORMATS)
      for (const named of [{ preset: slug }, { model: `@preset/${slug}` }, { model: `${MODEL}@preset/${slug}` }])
        expect((await ask(format, named, { key })).status).toBe(404);
    const listed = await call('GET', '/models/user?limit=1000', undefined, { key });
    expect(listed.body.data.some(({ id }: JsonBody) => id === `@preset/${slug}`)).toBe(false);
    const mine = await call('GET', '/models/user?limit=1000');
    expect(mine.body.data.find(({ id }: JsonBody) => id === `@preset/${slug}`)).toBeDefined();
    expect(calls()).toBe(before);
    // Saved there under the same slug, it is another preset.
    await save('chat', { model: MODEL, temperature: 1 }, slug, { key });
    expect((await call('GET', `/presets/${slug}`)).body.data.designated_version.config).toEqual({ model: MODEL });
  });

  it('finds and pages ten thousand versions', async () => {
    const slug = await save('messages', { model: MODEL, stop_sequences: ['1'] });
    await query(
      `INSERT INTO preset_versions (id, preset_id, version, api, creator_id, config, system_prompt, created_at)
       SELECT gen_random_uuid(), v.preset_id, number, v.api, v.creator_id, json_build_object('model', $2::text, 'stop_sequences', json_build_array(number::text))::text,
         v.system_prompt, v.created_at
       FROM presets p JOIN preset_versions v ON v.preset_id = p.id, generate_series(2, 10000) AS number WHERE p.slug = $1`,
      [slug, MODEL],
    );
    for (const [page, from] of [
      ['', 10_000],
      ['?offset=5000&limit=100', 5_000],
      ['?offset=9950&limit=100', 50],
    ] as const) {
      const { body } = await call('GET', `/presets/${slug}/versions${page}`);
      const numbers = (body.data as JsonBody[]).map(({ version }) => version);
      expect([body.total_count, numbers]).toEqual([10_000, numbers.map((_, at) => from - at)]);
      expect(numbers.length).toBe(from === 10_000 || from === 50 ? 50 : 100);
    }
    expect((await call('GET', `/presets/${slug}/versions?offset=10000`)).body).toEqual({ data: [], total_count: 10_000 }); // oxfmt-ignore
    for (const version of [5_000, 10_000, 1]) {
      await call('PATCH', `/presets/${slug}`, { designated_version: version });
      expect((await ask('messages', { preset: slug })).status).toBe(200);
      expect(sent().stop_sequences).toEqual([String(version)]);
      expect((await call('GET', `/presets/${slug}/versions/${version}`)).body.data.version).toBe(version);
    }
    // Each version is found by an index, and no statement reads them all.
    await query('ANALYZE preset_versions');
    const [{ id, designated }] = (await query(`SELECT id, designated_version_id AS designated FROM presets WHERE slug = $1`, [slug])) as [JsonBody]; // oxfmt-ignore
    for (const [sql, values] of [
      ['SELECT * FROM preset_versions WHERE id = $1 LIMIT 1', [designated]],
      ['SELECT * FROM preset_versions WHERE preset_id = $1 AND version = $2 LIMIT 1', [id, 5_000]],
      ['SELECT max(version) FROM preset_versions WHERE preset_id = $1', [id]],
      ['SELECT * FROM preset_versions WHERE preset_id = $1 ORDER BY version DESC LIMIT 50', [id]],
    ] as const) {
      const plan = await query(`EXPLAIN ${sql}`, [...values]);
      expect(JSON.stringify(plan)).not.toContain('Seq Scan');
    }
    expect((await call('DELETE', `/presets/${slug}`, undefined, { key: MANAGEMENT_KEY })).status).toBe(200);
    expect(await query(`SELECT count(*)::int AS left FROM preset_versions WHERE preset_id = $1`, [id])).toEqual([{ left: 0 }]); // oxfmt-ignore
  });
});
