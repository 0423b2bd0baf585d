/**
 * The bounds of presets: the thousandth of a workspace and the one past it, one at a time and at once; settings of
 * 1 MiB and one byte more in each format; lives of the response cache; slugs; numbers of versions and pages; presets
 * that name themselves by each path of a body. Ten thousand versions are in the neighbouring specs. The real
 * application over HTTP, on both databases.
 */
import { DataSource } from 'typeorm';
import { PresetsRepository } from '../../src/presets/presets.repository.js';
import { describeOnEachDatabase } from '../support/database.js';
import { FORMATS, PATHS, PresetCalls, SYSTEM, TOOL, TURN } from '../support/presets.js';
import type { JsonBody } from '../support/recorded-request.js';
import { MessagesBench } from './messages-bench.js';

const MODEL = 'test/native-roomy';
const PRESETS_MAX = 1_000;
const BYTES_MAX = 1024 * 1024;

describeOnEachDatabase('the bounds of presets', (database) => {
  let bench: MessagesBench;
  beforeAll(async () => {
    bench = await MessagesBench.start(database);
  }, 240_000);
  afterAll(() => bench?.close());

  const presets = new PresetCalls(() => bench.gateway);
  const call = presets.call.bind(presets);
  const sent = (): JsonBody => bench.anthropic.requests.at(-1)!.json;

  describe('of a workspace', () => {
    const save = async (key: string, slug: string): Promise<number> =>
      (await call('POST', `/presets/${slug}/messages`, { model: MODEL }, { key })).status;
    /** A new workspace with so many presets, the first of them without more than a model. */
    async function fill(slug: string, count: number, settings: object = {}) {
      const { data } = await bench.gateway.manage('POST', '/workspaces', { name: slug, slug });
      const { key } = await bench.gateway.newKey({ workspace_id: data.id });
      await presets.save('messages', 'first', { model: MODEL }, { key });
      await bench.gateway.gateway.app.get(DataSource, { strict: false }).query(
        `WITH made AS (
           INSERT INTO presets (id, account_id, workspace_id, slug, name, status, designated_version_id, created_at, updated_at)
           SELECT gen_random_uuid(), account_id, workspace_id, 'filled-' || number, name, status, gen_random_uuid(),
             created_at, updated_at
           FROM presets, generate_series(2, $2::int) AS number WHERE workspace_id = $1
           RETURNING id, designated_version_id, created_at)
         INSERT INTO preset_versions (id, preset_id, version, api, config, created_at)
         SELECT designated_version_id, id, 1, 'messages', $3, created_at FROM made`,
        [data.id, count, JSON.stringify(settings)],
      );
      return { key, id: data.id as string };
    }

    it('are a thousand presets: one more is a 409, and each of them takes new versions', async () => {
      const { key } = await fill('a-thousand', PRESETS_MAX - 1);
      expect(await save(key, 'the-last')).toBe(200);
      const refused = await call('POST', '/presets/one-more/messages', { model: MODEL }, { key });
      expect([refused.status, refused.body.error.message]).toEqual([409, expect.stringContaining(`at most ${PRESETS_MAX} presets`)]);
      expect((await call('GET', '/presets/one-more', undefined, { key })).status).toBe(404);
      expect((await call('GET', '/presets?limit=1', undefined, { key })).body.total_count).toBe(PRESETS_MAX);
      for (const slug of ['the-last', 'filled-500']) expect(await save(key, slug)).toBe(200);
      // Each workspace has a limit of its own, and a deleted preset does not count.
      expect(await save((await fill('another-one', 1)).key, 'one-more')).toBe(200);
      expect((await call('DELETE', '/presets/filled-500', undefined, { key })).status).toBe(200);
      expect([await save(key, 'one-more'), await save(key, 'yet-one')]).toEqual([200, 409]);
    }); // oxfmt-ignore

    it('are listed among the models of a key without their settings, however large', async () => {
      const settings = { user: `\u0000\ud800${'x'.repeat(BYTES_MAX / 2)}`, model: MODEL, stop_sequences: ['END'] };
      const { key, id } = await fill('large-ones', 101, settings);
      const { body } = await call('GET', '/models/user?limit=1000', undefined, { key });
      expect(body.error).toBeUndefined();
      const slugs = body.data.map((model: JsonBody) => model.id).filter((name: string) => name.startsWith('@preset/'));
      expect(slugs).toEqual(['first', ...Array.from({ length: 100 }, (_, at) => `filled-${at + 2}`).toSorted()].map((slug) => `@preset/${slug}`).toSorted()); // oxfmt-ignore
      const { account_id: accountId } = (await bench.gateway.gateway.app.get(DataSource, { strict: false }).query('SELECT account_id FROM presets WHERE workspace_id = $1 LIMIT 1', [id]))[0]; // oxfmt-ignore
      const read = await bench.gateway.gateway.app.get(PresetsRepository, { strict: false }).listActive({ accountId, workspaceId: id }); // oxfmt-ignore
      expect([read.length, JSON.stringify(read).length < 101 * 1_000]).toEqual([101, true]);
    });

    it('hold for presets that are saved at once', async () => {
      const { key } = await fill('at-once', PRESETS_MAX - 3);
      const statuses = await Promise.all(Array.from({ length: 8 }, (_, at) => save(key, `racing-${at}`)));
      expect(statuses.toSorted()).toEqual([200, 200, 200, 409, 409, 409, 409, 409]);
      expect((await call('GET', '/presets?limit=1', undefined, { key })).body.total_count).toBe(PRESETS_MAX);
    });
  });

  describe.each(FORMATS)('of %s', (format) => {
    it.each(['x', 'é'])('are 1 MiB of settings and system prompt, here of %s', async (letter) => {
      const slug = `of-${format}`;
      const config = { model: MODEL };
      const width = Buffer.byteLength(letter);
      const rest = BYTES_MAX - Buffer.byteLength(JSON.stringify(config));
      const exact = letter.repeat(rest / width) + 'x'.repeat(rest % width);
      const saved = await presets.save(format, slug, { ...config, ...SYSTEM[format](exact) });
      expect(saved.designated_version.system_prompt).toBe(exact);
      expect((await call('POST', PATHS[format], { ...TURN[format], preset: slug })).status).toBe(200);
      expect(JSON.stringify(sent().system)).toContain(exact);
      const refused = await call('POST', `/presets/${slug}${PATHS[format]}`, { ...config, ...SYSTEM[format](`${exact}x`) }); // oxfmt-ignore
      expect([refused.status, refused.body.error.message]).toEqual([413, `A preset has at most ${BYTES_MAX} bytes.`]);
      expect((await call('GET', `/presets/${slug}`)).body.data).toEqual(saved);
      await call('DELETE', `/presets/${slug}`);
    });

    it('are 1 MiB of settings alone', async () => {
      const slug = `settings-of-${format}`;
      const settings = (length: number) => ({ model: MODEL, tools: [TOOL[format]('long', 'x'.repeat(length))] });
      const base = Buffer.byteLength(JSON.stringify(settings(0)));
      const refused = await call('POST', `/presets/${slug}${PATHS[format]}`, settings(BYTES_MAX - base + 1));
      expect([refused.status, refused.body.error.message]).toEqual([413, `A preset has at most ${BYTES_MAX} bytes.`]);
      expect((await call('GET', `/presets/${slug}`)).status).toBe(404);
      const { designated_version: version } = await presets.save(format, slug, settings(BYTES_MAX - base));
      expect(version.config).toEqual(settings(BYTES_MAX - base));
      await call('DELETE', `/presets/${slug}`);
    });

    it.each([0, -1, 0.5, 1.5, 86_400.5, 86_401, 1e21, '60', null, true])(
      'refuse %j as seconds that a reply is stored',
      async (seconds) => {
        const body = { model: MODEL, cache_ttl_seconds: seconds };
        const refused = await call('POST', `/presets/refused-${format}${PATHS[format]}`, body);
        expect([refused.status, refused.body.error.message]).toEqual([400, 'cache_ttl_seconds: must be an integer from 1 to 86400']); // oxfmt-ignore
        expect((await call('GET', `/presets/refused-${format}`)).status).toBe(404);
      },
    );

    it.each([1, 86_400])('accept %d as seconds that a reply is stored, and use it', async (seconds) => {
      const slug = `stored-${format}-${seconds}`;
      const own = { temperature: seconds / 100_000 };
      await presets.save(format, slug, { model: MODEL, ...own, cache_enabled: true, cache_ttl_seconds: seconds });
      const { status, headers } = await call('POST', PATHS[format], { ...TURN[format], preset: slug });
      const cache = ['status', 'ttl'].map((name) => headers.get(`x-fairlead-cache-${name}`));
      expect([status, cache]).toEqual([200, ['MISS', String(seconds)]]);
    });

    it('refuse a preset that names itself, by each path of a body', async () => {
      const slug = `itself-${format}`;
      const before = bench.anthropic.requests.length;
      const named = [`@preset/${slug}`, `${MODEL}@preset/${slug}`];
      const paths: object[] = [
        { preset: slug },
        { model: MODEL, preset: slug },
        ...named.map((model) => ({ model })),
        ...named.map((model) => ({ models: [MODEL, model] })),
        ...named.map((model) => ({ model, preset: slug })),
        ...(format === 'messages' ? named.map((model) => ({ fallbacks: [{ model: MODEL }, { model }] })) : []),
      ];
      for (const existing of [false, true]) {
        if (existing) await presets.save(format, slug, { model: MODEL });
        for (const body of paths) {
          const refused = await call('POST', `/presets/${slug}${PATHS[format]}`, body);
          expect([body, refused.status, refused.body.error.message]).toEqual([body, 400, expect.stringMatching(/^(?:preset|models|fallbacks): a preset cannot name a preset$/)]);
        }
        const found = await call('GET', `/presets/${slug}`);
        expect(found.body.data?.designated_version.version).toBe(existing ? 1 : undefined);
      }
      // Saved under another slug, it would name itself by two steps.
      const other = await call('POST', `/presets/other-${slug}${PATHS[format]}`, { preset: slug });
      expect(other.status).toBe(400);
      expect(bench.anthropic.requests.length).toBe(before);
    }); // oxfmt-ignore
  });

  it.each(['a', '0', 'a-b-0', 'x'.repeat(100), 'versions', 'messages'])('accept the slug %s', async (slug) => {
    await presets.save('messages', slug, { model: MODEL });
    for (const format of FORMATS) {
      expect((await call('POST', PATHS[format], { ...TURN[format], model: `@preset/${slug}` })).status).toBe(200);
      await presets.save(format, slug, { model: MODEL });
    }
    expect((await call('GET', `/presets/${slug}`)).body.data).toMatchObject({ slug, designated_version: { version: 4 } });
    expect((await call('DELETE', `/presets/${slug}`)).status).toBe(200);
  }); // oxfmt-ignore

  it.each(['x'.repeat(101), 'A', 'a_b', 'a.b', '-a', 'a-', 'a--b', 'ä', 'a%2Fb', '%20', '%00', '@preset', 'a:b'])(
    'refuse the slug %s at each route',
    async (slug) => {
      for (const format of FORMATS) {
        const refused = await call('POST', `/presets/${slug}${PATHS[format]}`, { model: MODEL });
        expect([refused.status, refused.body.error.message]).toEqual([400, expect.stringMatching(/^slug: must/)]);
      }
      for (const [method, path, body] of [
        ['GET', ''],
        ['GET', '/versions'],
        ['GET', '/versions/1'],
        ['PATCH', '', { name: 'x' }],
        ['DELETE', ''],
      ] as const)
        expect([method, path, (await call(method, `/presets/${slug}${path}`, body)).status]).toEqual([method, path, 404]);
    },
  ); // oxfmt-ignore

  it('end a page of versions where they have 1 MiB together, and continue after it', async () => {
    const text = 'x'.repeat(BYTES_MAX / 4 - 100);
    for (let version = 0; version < 9; version++)
      await presets.save('messages', 'large', { model: MODEL, ...SYSTEM.messages(text) });
    const versions: number[] = [];
    const pages: number[] = [];
    while (versions.length < 9) {
      const { body } = await call('GET', `/presets/large/versions?limit=100&offset=${versions.length}`);
      expect(body.total_count).toBe(9);
      expect(body.data.every((one: JsonBody) => one.system_prompt === text)).toBe(true);
      versions.push(...body.data.map((one: JsonBody) => one.version));
      pages.push(body.data.length);
    }
    expect([versions, pages]).toEqual([
      [9, 8, 7, 6, 5, 4, 3, 2, 1],
      [4, 4, 1],
    ]);
    expect((await call('GET', '/presets/large/versions?limit=2')).body.data).toHaveLength(2);
    expect((await call('GET', '/presets/large/versions?offset=9')).body).toEqual({ data: [], total_count: 9 });
    await call('DELETE', '/presets/large');
  });

  it('find versions by their numbers alone, and pages by numbers in their bounds', async () => {
    await presets.save('messages', 'numbered', { model: MODEL });
    for (const [version, status] of [
      ['1', 200],
      ...['0', '01', '-1', '+1', '1.0', '1e0', '2', '999999999', '9999999999', 'x', '%20', '%00'].map((text) => [text, 404] as const),
    ] as const)
      expect([version, (await call('GET', `/presets/numbered/versions/${version}`)).status]).toEqual([version, status]);
    for (const path of ['/presets', '/presets/numbered/versions'])
      for (const [query, status] of [
        ['limit=1', 200],
        ['limit=100', 200],
        ['limit=0', 400],
        ['limit=101', 400],
        ['limit=1.5', 400],
        ['offset=-1', 400],
        ['offset=x', 400],
        ['page=1', 400],
      ] as const)
        expect([path, query, (await call('GET', `${path}?${query}`)).status]).toEqual([path, query, status]);
  }); // oxfmt-ignore
});
