// `npm run catalog:check` reads a file as the gateway does, reports each kind of finding, compares two files, and exits
// as documented in its usage. The command in this process over a temporary package, with the real registry of
// providers; then the shipped catalog, and the program itself.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { AheadClock } from '../../../test/support/ahead-clock.js';
import { outputOf, type CommandOutput } from '../../../test/support/command-output.js';
import { compiledSource } from '../../../test/support/compiled-source.js';
import { SystemClock } from '../../core/time.js';
import { ProviderRegistry } from '../../providers/registry.js';
import { UndiciTransport } from '../../providers/transport/undici-transport.js';
import { runCatalogCheck } from './catalog-check-command.js';

const SHIPPED = `
version: 1
providers:
  - { slug: vendor, name: Vendor, dialect: openai-chat, base_url: "https://vendor.example/v1", credential: { env: VENDOR_KEY } }
models:
  - id: vendor/m
    name: M
    context_length: 1000
    max_completion_tokens: 100
    endpoints: [{ provider: vendor, model: m, pricing: { prompt: "1", completion: "2" }, supported_parameters: [max_tokens] }]
`;
const SOURCES = `
version: 1
sources: [{ id: page, title: Prices, url: "https://vendor.example/prices", read: 2026-06-01 }]
providers: {}
models: { vendor/m: { context_length: page, endpoints: { vendor: { pricing: page } } } }
`;
const OWN = `
version: 1
extends: default
providers:
  - slug: mine
    name: Mine
    dialect: openai-chat
    base_url: https://mine.example/v1
    credential: { value: a-key-that-is-never-shown }
    policy: { collects_data: false, zero_data_retention: true }
models:
  - id: vendor/m
    name: M
    context_length: 1000
    max_completion_tokens: 100
    distillable: true
    endpoints:
      - { provider: vendor, model: m, pricing: { prompt: "1", completion: "2" }, supported_parameters: [max_tokens] }
      - { provider: mine, model: m, pricing: { prompt: "1.5", completion: "2" }, quantization: fp8, supported_parameters: [tools] }
`;

const ROOT = process.cwd();

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'catalog-check-'));
  await mkdir(join(folder, 'catalog'));
  const files = {
    'catalog/default.yaml': SHIPPED,
    'catalog/sources.yaml': SOURCES,
    'own.yaml': OWN,
    'broken.yaml': `${OWN}\nmodules: []\n`,
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
});
afterAll(() => rm(folder, { recursive: true }));

const clock = new SystemClock();
const known = new ProviderRegistry(new UndiciTransport(), clock);

const check = (
  words: readonly string[],
  variables: NodeJS.ProcessEnv = { VENDOR_KEY: 'set' },
): Promise<CommandOutput> =>
  outputOf((context) => runCatalogCheck(context, { known, clock, packageDirectory: folder }), {
    words,
    variables,
    workingDirectory: folder,
  });

const TODAY = ['--today', '2026-11-24'];

describe('npm run fairlead -- check FILE', () => {
  it('reports what is stale, missing, dearer and cheaper, and what is left', async () => {
    expect(await check(['own.yaml', ...TODAY])).toEqual({
      code: 0,
      error: '',
      out: `own.yaml: 1 model, 2 endpoints, 2 providers, the sandbox not counted
In your file: 1 model, 2 endpoints, 1 provider

Stale
  1 source: older than 90 days
    Prices (https://vendor.example/prices), read on 2026-06-01, 176 days old: 2 figures

Missing
  1 endpoint: no quantization: left out wherever one is requested: vendor/m at vendor

Dearer
  1 endpoint: more expensive than the model's author
    vendor/m at mine, where vendor takes less: prompt 1.5 instead of 1 (+50 %)

Cheaper
  nothing

In the shipped catalog, which your file extends

Stale
  nothing

Missing
  1 provider: training and retention are not stated: left out under zdr and data_collection: deny: vendor

Dearer
  nothing

Cheaper
  nothing

Left with a filter
  under zdr: 1 model, 1 endpoint
  under data_collection: deny: 1 model, 1 endpoint
  under quantizations: [fp8]: 1 model, 1 endpoint
  under enforce_distillable_text: 1 model, 2 endpoints
`,
    });
  });

  it('names the variables of credentials that are not set here, and shows no secret', async () => {
    const { out } = await check(['own.yaml', '--all'], {});
    expect(out).toContain('the variable of the credential is not set here: vendor (VENDOR_KEY)\n');
    expect(out).not.toContain('never-shown');
    expect((await check(['own.yaml'], { VENDOR_KEY: ' ' })).out).toContain('(VENDOR_KEY)');
  });

  it('judges the entries of the file before those of the shipped one, each separately', async () => {
    const added = OWN.replaceAll('vendor/m', 'mine/added').replace('    distillable: true\n', '');
    await writeFile(join(folder, 'added.yaml'), added);
    const [own, shipped] = (await check(['added.yaml'])).out.split('In the shipped catalog, which your file extends');
    expect(own).toContain('distillable is not stated: left out under enforce_distillable_text: mine/added\n');
    expect(own).not.toContain('vendor/m');
    expect(shipped).toContain('distillable is not stated: left out under enforce_distillable_text: vendor/m\n');
    expect(shipped).not.toContain('mine/added');
    const { findings } = JSON.parse((await check(['added.yaml', '--json'])).out) as {
      findings: readonly { readonly origin: string }[];
    };
    const origins = findings.map(({ origin }) => origin);
    expect(origins).toEqual([...origins].sort());
    expect(new Set(origins)).toEqual(new Set(['file', 'shipped']));
    // All entries of a file that extends nothing are its own.
    expect((await check(['catalog/default.yaml'])).out).not.toContain('Of ');
  });

  it.each([
    ['an absolute path', () => join(folder, 'own.yaml')],
    ['a path from the working directory', () => 'own.yaml'],
  ])('judges the catalog of FAIRLEAD_CATALOG by %s where no file is given', async (_, path) => {
    const { code, out } = await check([], { VENDOR_KEY: 'set', FAIRLEAD_CATALOG: path() });
    expect([code, out]).toEqual([0, expect.stringMatching(/own\.yaml: 1 model, 2 endpoints/)]);
  });

  it('judges the given file, whatever FAIRLEAD_CATALOG names', async () => {
    const { out } = await check(['own.yaml'], { FAIRLEAD_CATALOG: 'absent.yaml' });
    expect(out).toMatch(/^own\.yaml: /);
    expect(await check([], { FAIRLEAD_CATALOG: ' ' })).toMatchObject({ code: 1 });
  });

  it('uses its own clock where no day is given', async () => {
    const ahead = new AheadClock();
    ahead.aheadMs = Date.parse('2026-08-30T12:00:00Z') - Date.now();
    const run = async (days: string): Promise<string> =>
      (
        await outputOf((context) => runCatalogCheck(context, { known, clock: ahead, packageDirectory: folder }), {
          words: ['own.yaml', '--stale-days', days, '--only', 'stale'],
          workingDirectory: folder,
        })
      ).out;
    expect(await run('89')).toContain('90 days old: 2 figures');
    expect(await run('90')).toContain('Stale\n  nothing\n');
  });

  it('exits with 2 under --strict, for the requested groups', async () => {
    expect(await check(['own.yaml', '--strict'])).toMatchObject({ code: 2, error: '' });
    expect(await check(['own.yaml', '--strict', '--only', 'cheaper'])).toMatchObject({ code: 0 });
    const { code, out } = await check(['own.yaml', '--strict', '--only', 'cheaper,dearer']);
    expect([code, out.includes('Dearer'), out.includes('Missing')]).toEqual([2, true, false]);
  });

  it('prints the same as JSON', async () => {
    const { out } = await check(['own.yaml', '--json', '--only', 'dearer', ...TODAY]);
    expect(JSON.parse(out)).toMatchObject({
      file: 'own.yaml',
      models: 1,
      findings: [
        { group: 'dearer', kind: 'endpoint', count: 1, subjects: [expect.stringContaining('vendor/m at mine')] },
      ],
      left: [{ restriction: 'zdr', models: 1, endpoints: 1 }, {}, {}, {}],
    });
  });

  it('shows the first entries of long lists, and all of them under --all', async () => {
    const models = Array.from({ length: 30 }, (_, index) => ({
      id: `vendor/m${index}`,
      name: 'M',
      context_length: 1000,
      endpoints: [{ provider: 'vendor', model: 'm', pricing: { prompt: '3', completion: '2' } }],
    }));
    await writeFile(join(folder, 'long.yaml'), JSON.stringify({ version: 1, extends: 'default', models }));
    const short = (await check(['long.yaml'])).out;
    expect(short).toMatch(/no quantization[^\n]*: vendor\/m0 at vendor, vendor\/m1 at [^\n]*m4 at vendor and 25 more/);
    expect(short).toContain('    and 10 more (--all)\n');
    const all = (await check(['long.yaml', '--all'])).out;
    expect(all).not.toContain('(--all)');
    expect(all).toContain('vendor/m29 at vendor: prompt 3 instead of 1 (+200 %)\n');
    const { findings } = JSON.parse((await check(['long.yaml', '--json', '--only', 'dearer'])).out) as {
      findings: readonly { readonly count: number; readonly subjects: readonly string[] }[];
    };
    expect(findings.map(({ count, subjects }) => [count, subjects.length])).toEqual([[30, 20]]);
  });

  it('prints the faults of a file as the gateway does, and exits with 1', async () => {
    expect(await check(['broken.yaml'])).toEqual({
      code: 1,
      out: '',
      error: expect.stringMatching(
        /^fairlead check: the catalog cannot be used:\n {2}\S*broken\.yaml:21: modules: is not a known field\n$/,
      ),
    });
    expect(await check(['absent.yaml'])).toMatchObject({ code: 1, error: expect.stringContaining('ENOENT') });
  });

  it('judges a package without sources, and reports that; refuses faulty ones', async () => {
    const sources = join(folder, 'catalog', 'sources.yaml');
    try {
      await rm(sources);
      const judged = await check(['own.yaml', '--only', 'stale']);
      expect(judged).toMatchObject({ code: 0, out: expect.stringContaining('catalog/sources.yaml') });
      await writeFile(sources, 'version: 2');
      expect(await check(['own.yaml'])).toMatchObject({
        code: 1,
        error: expect.stringContaining('catalog/sources.yaml:1: version: must be 1'),
      });
    } finally {
      await writeFile(sources, SOURCES);
    }
  });
});

describe('npm run fairlead -- check OLD NEW', () => {
  it('reports the differences of the newer file and the changed routes', async () => {
    expect(await check(['catalog/default.yaml', 'own.yaml'])).toEqual({
      code: 0,
      error: '',
      out: `catalog/default.yaml → own.yaml

Added
  1 provider: mine
  1 endpoint: vendor/m at mine

Removed
  nothing

Changed: 1 figure
  vendor/m: distillable is true, was not set

Routes differently: 1 model
  vendor/m, plain text, structured output, sort: price: new: mine
  vendor/m, tools with require_parameters, zdr, data_collection: deny, quantizations: [fp8]: now 1 leg: mine (was none)
  vendor/m, enforce_distillable_text: now 2 legs: vendor, mine (was none)

Drawn otherwise: 1 model, how many requests in a hundred go there first
  vendor/m: vendor 58 (was 100), mine 42 (was 0)
`,
    });
  });

  it('reports the reverse changes, and the new first leg', async () => {
    const { out } = await check(['own.yaml', 'catalog/default.yaml']);
    expect(out).toContain('vendor/m: distillable is no longer set, was true\n');
    expect(out).toContain('vendor/m, enforce_distillable_text: no endpoint left (was 2: vendor, mine)\n');
    await writeFile(join(folder, 'cheap.yaml'), OWN.replace('"1.5"', '"0.5"'));
    expect((await check(['own.yaml', 'cheap.yaml'])).out).toContain('sort: price: now first mine (was vendor)\n');
  });

  it('exits with 2 under --strict where the files differ, and with 0 where they do not', async () => {
    expect(await check(['own.yaml', 'catalog/default.yaml', '--strict'])).toMatchObject({ code: 2 });
    const same = await check(['own.yaml', 'own.yaml', '--strict']);
    expect(same.code).toBe(0);
    expect(same.out.match(/ {2}nothing\n/g)).toHaveLength(5);
  });

  it('prints the same as JSON, each list with its length', async () => {
    const { out } = await check(['catalog/default.yaml', 'own.yaml', '--json']);
    expect(JSON.parse(out)).toMatchObject({
      before: 'catalog/default.yaml',
      after: 'own.yaml',
      added: { providers: { count: 1, first: ['mine'] }, models: { count: 0 } },
      figures: { count: 1, first: [{ subject: 'vendor/m', figure: 'distillable', after: 'true' }] },
      routes: { count: 3 },
      shares: { count: 2 },
    });
  });
});

describe('npm run fairlead -- check on the shipped catalog', () => {
  const shipped = (...words: readonly string[]): Promise<CommandOutput> =>
    outputOf((context) => runCatalogCheck(context, { known, clock, packageDirectory: ROOT }), {
      words,
      workingDirectory: ROOT,
    });

  it("shows the changes of the documentation's example of an agreement", async () => {
    const [, example] = /## Your own agreements[^]*?```yaml\n([^]*?)```/.exec(readFileSync('docs/operate/catalog.md', 'utf8'))!;
    const own = join(folder, 'agreement.yaml');
    await writeFile(own, example!);
    const { code, out } = await shipped('catalog/default.yaml', own, '--all');
    expect(code).toBe(0);
    expect(out).toContain('  anthropic: policy.zero_data_retention is true, was false\n');
    expect(out).toMatch(/ {2}anthropic\/claude-sonnet-4\.5, [^\n]*\bzdr\b[^\n]*(?:now 1 leg|new): anthropic/);
    // Only the changes of the agreement.
    const changed = [...out.matchAll(/^ {2}(\S+): (\S+) is /gm)].map(([, subject, figure]) => `${subject} ${figure}`);
    expect(changed.filter((change) => !change.startsWith('anthropic policy.'))).toEqual([]);
    expect(out.match(/^(?:Added|Removed)\n {2}nothing$/gm)).toHaveLength(2);
    const judged = await shipped(own, '--json');
    expect(JSON.parse(judged.out)).toMatchObject({
      left: [{ restriction: 'zdr', models: expect.any(Number) }, {}, {}, {}],
    });
    expect((JSON.parse(judged.out) as { left: { models: number }[] }).left[0]!.models).toBeGreaterThan(9);
  });
});

describe('npm run fairlead -- check', () => {
  it('prints its usage', async () => {
    expect(await check(['--help'])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^npm run fairlead -- check \[FILE\]/),
    });
  });

  it.each([
    [[], 'give one file'],
    [['a', 'b', 'c'], 'give one file'],
    [['own.yaml', '--wrong'], '--wrong'],
    [['own.yaml', '--only', 'stale,old'], '--only takes'],
    [['own.yaml', '--stale-days', 'many'], '--stale-days must'],
    [['own.yaml', '--today', '2026-02-30'], '--today must'],
    [['own.yaml', 'own.yaml', '--today', '2026-11-24'], '--today is for one file'],
  ])('refuses %j', async (words, reason) => {
    expect(await check(words)).toMatchObject({ code: 1, out: '', error: expect.stringContaining(reason) });
  });

  it('resolves files from where npm was called', async () => {
    const { code } = await check(['default.yaml'], { INIT_CWD: join(folder, 'catalog') });
    expect(code).toBe(0);
  });

  it('judges the shipped catalog without a fault, as a separate program', async () => {
    const { stdout, stderr } = await promisify(execFile)(
      process.execPath,
      [compiledSource('cli/catalog-check.js'), 'catalog/default.yaml'],
      { cwd: ROOT },
    );
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^catalog\/default\.yaml: [\d,]+ models, [\d,]+ endpoints, [\d,]+ providers/);
    expect(stdout).toMatch(/Left with a filter\n {2}under zdr: \d+ models?/);
  });
});
