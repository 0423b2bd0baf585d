/**
 * Checks that a gateway started with the catalog written for a LiteLLM proxy answers every former model name on both
 * faces at the address that the proxy called, with the key of the named variable, and that exported keys are created
 * in a running gateway once. The command runs in this process, then the application over strict doubles. Rules:
 * docs/operate/importing.md.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { SystemClock } from '../../src/core/time.js';
import { runImport } from '../../src/import/import-command.js';
import { API_KEY, MANAGEMENT_KEY, startGateway, type TestGateway } from '../support/app.js';
import { anthropicText } from '../support/anthropic-upstream.js';
import { outputOf, type CommandOutput } from '../support/command-output.js';
import { describeOnEmbedded } from '../support/database.js';
import { startDouble, type Double } from '../support/doubles/start-double.js';
import { openaiText } from '../support/openai-upstream.js';
import type { JsonBody } from '../support/recorded-request.js';
import { startUpstream, type Upstream } from '../support/upstreams.js';

const ROOT = join(__dirname, '..', '..');
let folder: string;
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'import-'))));
afterAll(() => rm(folder, { recursive: true, force: true }));

const run = (words: readonly string[], variables: NodeJS.ProcessEnv = {}): Promise<CommandOutput> =>
  outputOf((context) => runImport(context, { packageDirectory: ROOT, clock: new SystemClock() }), {
    words,
    variables,
    workingDirectory: folder,
  });

async function post(gateway: TestGateway, path: string, body: object, key = API_KEY): Promise<JsonBody> {
  const headers = { 'content-type': 'application/json' };
  return (await gateway.request(path, { method: 'POST', key, headers, body: JSON.stringify(body) })).json();
}

describeOnEmbedded('a configuration of LiteLLM', (database) => {
  let [vllm, proxy]: Upstream[] = [];
  let azure: Double;
  let gateway: TestGateway;
  let output: CommandOutput;

  beforeAll(async () => {
    [vllm, proxy, azure] = await Promise.all([
      startUpstream('openai'),
      startUpstream('anthropic'),
      startDouble('azure'),
    ]);
    // Unlike the vendor, the proxy requires no key.
    vllm.strict = false;
    vllm.script(openaiText('From vLLM.'));
    proxy.script(anthropicText('From the proxy.'));
    azure.script({ parts: [{ type: 'text', text: 'From Azure.' }] });
    const config = {
      model_list: [
        {
          model_name: 'gpt-4o',
          litellm_params: {
            model: 'azure/gpt-4o-eu',
            api_base: 'os.environ/AZURE_BASE',
            api_key: 'os.environ/IMPORTED_AZURE_KEY',
            api_version: '2024-10-21',
            rpm: 6,
          },
          model_info: { base_model: 'azure/gpt-4o' },
        },
        {
          model_name: 'team/claude',
          litellm_params: { model: 'anthropic/claude-x', api_base: proxy.url, api_key: 'sk-of-the-proxy' },
          model_info: { input_cost_per_token: 3e-6, output_cost_per_token: 1.5e-5, max_input_tokens: 200_000 },
        },
        { model_name: 'llama3:8b', litellm_params: { model: 'hosted_vllm/meta/llama3', api_base: vllm.url } },
        { model_name: '*', litellm_params: { model: 'openai/*' } },
      ],
      router_settings: { model_group_alias: { 'gpt-4': 'gpt-4o' } },
      general_settings: { master_key: 'sk-master' },
    };
    await writeFile(join(folder, 'config.yaml'), stringify(config));
    output = await run(['litellm', 'config.yaml'], { AZURE_BASE: `${azure.origin}/` });
    process.env['IMPORTED_AZURE_KEY'] = azure.credential;
    process.env[`ANTHROPIC_127_0_0_1_${proxy.port}_API_KEY`] = 'key-of-the-proxy';
    gateway = await startGateway(database, { variables: { FAIRLEAD_CATALOG: join(folder, 'fairlead-catalog.yaml') } });
  }, 240_000);
  afterAll(async () => {
    await gateway?.close();
    await Promise.all([vllm?.close(), proxy?.close(), azure?.close()]);
  });

  it('is described in a page: what to set, what was assumed, what stayed behind', () => {
    expect(output).toMatchObject({ code: 0, error: '' });
    expect(output.out).toMatch(/^fairlead-catalog.yaml: 3 models, 3 providers beside the shipped ones\.\n/);
    expect(output.out).toContain('model_list.3 (*): is a wildcard');
    expect(output.out).toContain('model_list.0.litellm_params.rpm: limits belong to keys');
    expect(output.out).toContain(
      `ANTHROPIC_127_0_0_1_${proxy!.port}_API_KEY: the key that is in the file as plain text`,
    );
    expect(output.out).not.toMatch(/sk-/);
  });

  it.each([
    ['gpt-4o', 'From Azure.'],
    ['gpt-4', 'From Azure.'],
    ['team/claude', 'From the proxy.'],
    ['llama3:8b', 'From vLLM.'],
  ])('answers %s on both faces, whole and streamed', async (model, text) => {
    const messages = [{ role: 'user', content: 'Hello' }];
    const body = { model, max_tokens: 50, messages };
    expect((await post(gateway, '/messages', body)).content).toMatchObject([{ type: 'text', text }]);
    expect((await post(gateway, '/chat/completions', body)).choices[0].message).toMatchObject({ content: text });
    for (const path of ['/messages', '/chat/completions']) {
      const init = { method: 'POST', headers: { 'content-type': 'application/json' } };
      const streamed = await gateway.request(path, { ...init, body: JSON.stringify({ ...body, stream: true }) });
      const pieces = [...(await streamed.text()).matchAll(/"(?:text|content)":"((?:[^"\\]|\\.)+)"/g)];
      expect([streamed.status, pieces.map(([, piece]) => piece).join('')]).toEqual([200, text]);
    }
  });

  it('calls each with its own key and model, and no other', () => {
    expect(azure.violations).toEqual([]);
    expect(azure.calls.map(({ path }) => path)).toContain(
      '/openai/deployments/gpt-4o-eu/chat/completions?api-version=2024-10-21',
    );
    expect(proxy!.requests.map(({ headers, json }) => [headers['x-api-key'], json.model])).toContainEqual([
      'key-of-the-proxy',
      'claude-x',
    ]);
    expect(vllm!.requests).toHaveLength(4);
    for (const { headers, json, path } of vllm!.requests)
      expect([headers.authorization, json.model, path]).toEqual([undefined, 'meta/llama3', '/v1/chat/completions']);
  });

  it('is not overwritten, and an unreadable file is reported in one line', async () => {
    const catalog = await readFile(join(folder, 'fairlead-catalog.yaml'), 'utf8');
    expect(await run(['litellm', 'config.yaml'])).toMatchObject({
      code: 1,
      out: '',
      error: 'fairlead import: fairlead-catalog.yaml exists already: name another file with --out, or add --force\n',
    });
    expect(await readFile(join(folder, 'fairlead-catalog.yaml'), 'utf8')).toBe(catalog);
    expect((await run(['litellm', 'config.yaml', '--out', 'fairlead-catalog.yaml', '--force'])).code).toBe(0);
    await writeFile(join(folder, 'broken.yaml'), 'model_list: [sk-secret');
    for (const [file, why] of [
      ['nobody.yaml', 'cannot be read (ENOENT)'],
      ['broken.yaml', 'is not valid YAML (BAD_INDENT)'],
      ['/dev/zero', 'is larger than 16777216 bytes'],
      ['.', 'cannot be read (EISDIR)'],
    ] as const) {
      const { code, error, out } = await run(['litellm', file, '--out', 'none.yaml']);
      expect([code, out]).toEqual([1, '']);
      expect(error.split('\n')).toEqual([expect.stringContaining(`import: ${file} ${why.split(' (')[0]}`), '']);
      expect(error).not.toContain('sk-secret');
    }
  });

  it.each([
    [[], 'name the source: litellm or openrouter'],
    [['elsewhere'], 'name the source: litellm or openrouter'],
    [['litellm'], 'give one configuration of LiteLLM'],
    [['litellm', 'a', 'b'], 'give one configuration of LiteLLM'],
    [['litellm', 'a', '--to', 'b'], '--to is not for litellm'],
    [['openrouter', 'a', '--force'], '--force is not for openrouter'],
    [['openrouter'], 'give at least one export'],
    [['--nothing'], 'Unknown option'],
  ])('%j are invalid arguments', async (words, why) => {
    const { code, out, error } = await run(words);
    expect([code, out]).toEqual([1, '']);
    expect(error).toContain(why);
    expect(error).toContain('npm run fairlead -- import litellm CONFIG.yaml');
  });
});

describeOnEmbedded('exports of OpenRouter', (database) => {
  let gateway: TestGateway;
  const hash = (digit: string): string => digit.repeat(64);
  const KEYS = {
    data: [
      {
        hash: hash('a'),
        name: 'web',
        label: 'sk-or-v1-aaa...aaa',
        limit: 25,
        limit_reset: 'monthly',
        include_byok_in_limit: true,
        usage: 3,
        creator_user_id: 'user-1',
        expires_at: '2099-01-01T00:00:00+00:00',
        workspace_id: '7b0c6a52-7a0e-4f3e-9a3c-0d9a5b1f0001',
        external_user: 'someone',
        disabled: false,
      },
      { hash: hash('b'), name: 'old app', limit: 10, limit_reset: null, usage: 4, disabled: true },
      { hash: hash('c'), name: 'web', limit: null, disabled: false },
      { hash: hash('d'), name: 'gone', expires_at: '2020-01-01T00:00:00Z' },
      { hash: hash('e'), name: 'odd', limit: -1 },
    ],
  };
  const CREDENTIALS = [
    {
      id: '1',
      provider: 'anthropic',
      name: 'ours',
      label: 'sk-ant...xyz',
      workspace_id: null,
      is_fallback: true,
      allowed_models: ['anthropic/claude-sonnet-4.5'],
      allowed_api_key_hashes: [hash('a'), hash('f')],
      sort_order: 2,
      created_at: '2026-01-01T00:00:00Z',
    },
    { id: '2', provider: 'openai', allowed_api_key_hashes: [hash('f')] },
  ];
  const WORDS = ['openrouter', 'keys.json', 'byok.json'];
  const lines = ({ out }: CommandOutput): JsonBody[] =>
    out
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  const listed = async (): Promise<JsonBody[]> =>
    ((await (await gateway.request('/keys?include_disabled=true', { key: MANAGEMENT_KEY })).json()) as JsonBody).data;
  let before: number;

  beforeAll(async () => {
    await writeFile(join(folder, 'keys.json'), JSON.stringify(KEYS));
    await writeFile(join(folder, 'byok.json'), JSON.stringify(CREDENTIALS));
    gateway = await startGateway(database);
    before = (await listed()).length;
  }, 240_000);
  afterAll(() => gateway?.close());

  it('are bodies, where no gateway is named', async () => {
    const output = await run(WORDS);
    expect(output.code).toBe(0);
    const printed = lines(output);
    expect(printed.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /api/v1/keys',
      'POST /api/v1/keys',
      'PATCH /api/v1/keys/{hash}',
      'POST /api/v1/keys',
      'POST /api/v1/keys',
      'POST /api/v1/byok',
      'POST /api/v1/byok',
    ]);
    expect(printed[0].body).toEqual({
      name: 'web',
      limit: 25,
      limit_reset: 'monthly',
      include_byok_in_limit: true,
      expires_at: '2099-01-01T00:00:00.000Z',
      creator_user_id: 'user-1',
      external: { user: 'someone' },
    });
    expect(printed.at(-1).body).toEqual({ provider: 'openai', disabled: true });
    for (const notice of [
      'keys.json.3 (gone): has expired',
      'keys.json.1 (old app): has its whole limit again: the 4 USD it has spent are not carried over',
      'keys.json.0 (web): goes to the default workspace: there is no workspace',
      'byok.json.0 (anthropic, ours): POST /api/v1/byok with the printed body and its `key`, which no export has',
      'byok.json.1 (openai): is switched off',
    ])
      expect(output.error).toContain(notice);
    expect(output.out + output.error).not.toContain('sk-');
  });

  it('are keys in the gateway that is named, each printed once and fit for use', async () => {
    const output = await run([...WORDS, '--to', gateway.origin], { FAIRLEAD_MANAGEMENT_KEY: MANAGEMENT_KEY });
    expect([output.code, output.error.includes('keys.json.4 (odd): the gateway refuses it: 400')]).toEqual([0, true]);
    const made = lines(output).filter(({ key }) => key !== undefined);
    expect(made.map(({ name }) => name)).toEqual(['web', 'old app', 'web']);
    const keys = new Map<string, JsonBody>((await listed()).map((key) => [key.hash, key]));
    expect(keys.size).toBe(before + 3);
    expect(keys.get(made[0].hash)).toMatchObject({ limit: 25, limit_reset: 'monthly', creator_user_id: 'user-1' });
    expect(keys.get(made[1].hash)).toMatchObject({ limit: 10, disabled: true });
    const hello = { model: 'sandbox/echo', max_tokens: 10, messages: [{ role: 'user', content: 'Hello' }] };
    expect(await post(gateway, '/messages', hello, made[0].key)).toMatchObject({ type: 'message' });
    // A credential names its keys by their new hashes; keys that do not exist here are missing.
    const [credential] = lines(output).filter(({ path }) => path === '/api/v1/byok');
    expect(credential.body).toEqual({
      provider: 'anthropic',
      name: 'ours',
      is_fallback: true,
      sort_order: 2,
      allowed_models: ['anthropic/claude-sonnet-4.5'],
      allowed_api_key_hashes: [made[0].hash],
    });
    const { data } = await post(gateway, '/byok', { ...credential.body, key: 'sk-ant-entered-anew' }, MANAGEMENT_KEY);
    expect(data).toMatchObject({ name: 'ours', is_fallback: true, allowed_api_key_hashes: [made[0].hash] });
  });

  it('are there already the second time, unless they are requested again', async () => {
    const variables = { FAIRLEAD_MANAGEMENT_KEY: MANAGEMENT_KEY };
    const second = await run([...WORDS, '--to', `${gateway.origin}/api/v1/`], variables);
    expect(lines(second).filter(({ key }) => key !== undefined)).toEqual([]);
    expect(second.error.match(/is there already, by its name/g)).toHaveLength(3);
    expect(await listed()).toHaveLength(before + 3);
    await run([...WORDS, '--to', gateway.origin, '--again'], variables);
    expect(await listed()).toHaveLength(before + 6);
  });

  it.each([
    [
      'no management key',
      'http://127.0.0.1:9',
      {},
      /^fairlead import: --to wants a management key in FAIRLEAD_MANAGEMENT_KEY\n$/,
    ],
    [
      'unknown user',
      'http://127.0.0.1:9',
      { FAIRLEAD_MANAGEMENT_KEY: 'x' },
      /127\.0\.0\.1:9\/api\/v1 cannot be reached\n$/,
    ],
    [
      'no address',
      'gateway',
      { FAIRLEAD_MANAGEMENT_KEY: 'x' },
      /^fairlead import: --to must be an http or https address/,
    ],
    ['the wrong key', undefined, { FAIRLEAD_MANAGEMENT_KEY: API_KEY }, /GET \S+\/workspaces answered 403 /],
  ])('end with a line where there is %s', async (_, to, variables, line) => {
    const { code, out, error } = await run([...WORDS, '--to', to ?? gateway.origin], variables);
    expect([code, out]).toEqual([1, '']);
    expect(error).toMatch(line);
    expect(error).not.toContain(API_KEY);
  });

  it.each([
    ['{"data":', 'is not valid JSON'],
    ['{"error":{}}', 'is no list of GET /keys or GET /byok: it has no "data"'],
  ])('%s is invalid', async (text, why) => {
    await writeFile(join(folder, 'other.json'), text);
    expect(await run(['openrouter', 'other.json'])).toMatchObject({
      code: 1,
      error: `fairlead import: other.json ${why}\n`,
    });
  });
});
