/**
 * Goal: `fairlead decision` explains a stored decision: the plan made again is the reported one, and each way to fail
 * has its exit code. Method: a real gateway on both databases, stopped before its store is read, and the command in
 * this process.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runDecision } from '../../src/routing/decision-command.js';
import { ask, at, model, RoutingBench } from '../http/routing-bench.js';
import { describeOnEachDatabase } from '../support/database.js';
import type { JsonBody } from '../support/recorded-request.js';

const ALL = ['alpha', 'beta', 'gamma'];
const ROOT = join(__dirname, '..', '..');

describeOnEachDatabase('npm run fairlead -- decision', (database) => {
  let catalog: string;
  let id: string;
  let metadata: JsonBody;
  /** A generation of a panel, in which one model had no answer. */
  let panelled: string;
  beforeAll(async () => {
    const bench = await RoutingBench.start(database, {
      providers: { alpha: {}, beta: {}, gamma: {} },
      models: [
        model(
          'test/equal',
          ALL.map((slug) => at(slug)),
        ),
        model('test/lost', [at('alpha')]),
      ],
    });
    try {
      bench.fails('alpha', 500);
      const { headers, body } = await bench.ask(
        ask('test/equal', { provider: { order: ['alpha', 'beta'], ignore: ['gamma'] } }),
        { headers: { 'x-router-metadata': 'enabled' } },
      );
      id = headers.get('x-generation-id')!;
      metadata = body.router_metadata;
      const panel = { id: 'fusion', analysis_models: ['test/equal', 'test/lost'], model: 'test/equal', tools: [] };
      const answer = await bench.ask(
        ask('test/equal', { plugins: [panel], provider: { order: ['beta', 'gamma', 'alpha'] } }),
      );
      expect([answer.status, answer.body]).toEqual([200, expect.objectContaining({ type: 'message' })]);
      panelled = answer.headers.get('x-generation-id')!;
      catalog = join(database.settings.dataDir, 'catalog-kept.json');
      await writeFile(catalog, await readFile(bench.gateway.catalogPath));
    } finally {
      // Pending writes finish before the process ends.
      await bench.close();
    }
    // The embedded one of the tests is not in its folder, where the command looks first.
    await mkdir(join(database.settings.dataDir, 'database'), { recursive: true });
  }, 240_000);

  async function run(...words: string[]): Promise<{ code: number; out: string; error: string }> {
    let out = '';
    let error = '';
    const { dataDir, databaseUrl } = database.settings;
    const code = await runDecision(
      {
        words,
        variables: {
          DATA_DIR: dataDir,
          FAIRLEAD_CATALOG: catalog,
          ...(databaseUrl && { DATABASE_URL: databaseUrl.reveal() }),
        },
        workingDirectory: ROOT,
        print: (text) => void (out += text),
        printError: (text) => void (error += text),
      },
      ROOT,
      database.kind === 'embedded' ? database.opener : undefined,
    );
    return { code, out, error };
  }

  it('repeats the plan that the gateway reported, with the calls', async () => {
    const { code, out, error } = await run(id, '--json');
    expect([code, error]).toEqual([0, '']);
    const { generation_id, decision } = JSON.parse(out);
    expect([generation_id, decision.derivation]).toEqual([id, 'derived']);
    expect(decision.plan.legs.map(({ provider, model: named }: JsonBody) => ({ provider, model: named }))).toEqual(
      metadata.endpoints.available.map(({ provider, model: named }: JsonBody) => ({ provider, model: named })),
    );
    expect(decision.calls).toEqual([
      { model: 'test/equal', tag: 'alpha', status: 500 },
      { model: 'test/equal', tag: 'beta', status: 200 },
    ]);
    expect(decision.plan.excluded).toEqual([expect.objectContaining({ tag: 'gamma', reason: 'ignored' })]);
  });

  it('prints the same as text', async () => {
    const { code, out } = await run(id);
    expect(code).toBe(0);
    expect(out).toMatch(new RegExp(`^Generation ${id} of 2[^]*1\\. test/equal at alpha [^]*gamma: is ignored`));
    expect(out).toMatch(/Called:\n {2}1\. test\/equal at alpha: 500\n {2}2\. test\/equal at beta: 200\n$/);
  });

  it('repeats the plan of each consulted model, and lists its calls', async () => {
    const { code, out } = await run(panelled, '--json');
    const { consulted } = JSON.parse(out);
    expect([code, consulted.map(({ place, purpose }: JsonBody) => [place, purpose])]).toEqual([
      0,
      [
        [1, 'fusion-panel'],
        [2, 'fusion-panel'],
        [3, 'fusion-judge'],
      ],
    ]);
    for (const { decision } of consulted) {
      expect(decision).toMatchObject({ derivation: 'derived', cut: [] });
      expect(decision.plan.legs).not.toHaveLength(0);
    }
    expect(consulted.map(({ decision }: JsonBody) => decision.requested)).toEqual([
      'test/equal',
      'test/lost',
      'test/equal',
    ]);
    expect(consulted[1].decision.calls).toEqual([{ model: 'test/lost', tag: 'alpha', status: 500 }]);
    const words = (await run(panelled)).out;
    expect(words).toMatch(/\nConsulted, 2\. \(fusion-panel\)\nRequested: test\/lost\n[^]*test\/lost at alpha: 500\n/);
  });

  it('reports that the catalog has changed since, and ends with 1', async () => {
    const text = await readFile(catalog, 'utf8');
    await writeFile(catalog, text.replace('"test/equal"', '"test/renamed"'));
    const { code, out } = await run(id);
    await writeFile(catalog, text);
    expect(code).toBe(1);
    expect(out).toContain('The catalog has changed since');
    expect(out).toContain('test/equal at alpha: 500');
  });

  it('finds no decision of another id, and refuses wrong arguments', async () => {
    expect(await run('gen-unknown')).toMatchObject({ code: 1, out: '', error: expect.stringContaining('gen-unknown') });
    expect(await run()).toMatchObject({
      code: 2,
      out: '',
      error: expect.stringContaining('npm run fairlead -- decision'),
    });
    expect(await run(id, 'another')).toMatchObject({ code: 2, out: '' });
    expect(await run(id, '--unknown')).toMatchObject({ code: 2, out: '' });
    expect(await run('--help')).toMatchObject({ code: 0, out: expect.stringContaining('--json'), error: '' });
  });
});
