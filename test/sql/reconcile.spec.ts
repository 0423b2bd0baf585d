// A vendor's export is compared with exactly the generations that the vendor has billed: those of its provider, of the
// period by UTC, by the operator's credential or by the given one. Method: generations settled by the gateway's
// statements on both databases, and the command over files.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newGenerationId } from '../../src/core/ids.js';
import type { Pricing } from '../../src/core/routing/catalog.js';
import type { LedgerRepository } from '../../src/ledger/ledger.repository.js';
import { PriceVersions } from '../../src/ledger/price-versions.js';
import { runReconciliation } from '../../src/ledger/reconcile/reconcile-command.js';
import { outputOf, type CommandOutput } from '../support/command-output.js';
import { describeOnEachDatabase } from '../support/database.js';
import { LedgerBench } from './ledger-bench.js';

/** What a test states of a generation. */
type Stated = Readonly<Record<string, string | number | boolean | null>>;

const PRICING: Pricing = {
  prompt: 3_000_000n,
  completion: 15_000_000n,
  inputCacheRead: 300_000n,
  tiers: [{ minPromptTokens: 200_000, prompt: 6_000_000n }],
};
const HEADER = 'day,model,input_tokens,output_tokens,cache_read_tokens,cache_write_tokens,cache_write_1h_tokens';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fairlead-reconcile-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describeOnEachDatabase('npm run ledger:reconcile', (database) => {
  beforeAll(async () => {
    const dataSource = await database.connect();
    const bench = new LedgerBench(dataSource);
    const account = await bench.addAccount('1000');
    const generate = async (at: string, stated: Stated): Promise<void> => {
      const id = newGenerationId(Date.parse(at));
      await bench.settle({ id, heldAt: new Date(at), account, key: account.keys[0]!, cost: '0.5' });
      const shown: Stated = { prompt_tokens: 0, completion_tokens: 0, provider: 'anthropic', ...stated };
      const set = Object.keys(shown).map((column, index) => `${column} = $${index + 2}`);
      await dataSource.query(`update generations set ${set.join(', ')} where id = $1`, [id, ...Object.values(shown)]);
    };
    await bench.ensureMonth(new Date('2026-10-15T00:00:00Z'));
    await dataSource.query('insert into price_versions values ($1, $2, now())', Object.values(await storedPrices()));
    await addGenerations(generate);
    await dataSource.destroy();
    // The command looks for the store before it opens it.
    await mkdir(join(database.settings.dataDir, 'database'), { recursive: true });
  });

  const run = (...words: readonly string[]): Promise<CommandOutput> => {
    const { databaseUrl, dataDir } = database.settings;
    const variables = { DATA_DIR: dataDir, ...(databaseUrl && { DATABASE_URL: databaseUrl.reveal() }) };
    return outputOf(
      (context) => runReconciliation(context, database.kind === 'embedded' ? database.opener : undefined),
      {
        words,
        variables,
        workingDirectory: folder,
      },
    );
  };
  const compare = async (rows: readonly string[], ...words: readonly string[]): Promise<CommandOutput> => {
    await writeFile(join(folder, 'usage.csv'), `\uFEFF${[HEADER, ...rows].join('\r\n')}\r\n`);
    return run('usage.csv', '--provider', 'anthropic', ...words);
  };
  const MATCHING = [
    '2026-10-01,claude-haiku-4-5-20251001,30,7,40,50,60',
    '2026-10-02,claude-haiku-4-5-20251001,5,0,0,0,0',
  ];

  it('ends with 0 where each class of each day and model is the same', async () => {
    expect(await compare(MATCHING)).toEqual({
      code: 0,
      out: 'anthropic, 2026-10-01 to 2026-10-02: 2 rows, 3 generations, 0 differences, 0 warnings\n',
      error: '',
    });
  });

  it('prints each difference with its cost, and ends with 1', async () => {
    const [first] = MATCHING;
    expect(await compare([first!.replace('30,7', '31,5'), '2026-10-03,gpt,1,0,0,0,0'])).toEqual({
      code: 1,
      out: [
        'difference: 2026-10-01 claude-haiku-4-5 input: vendor 31, ledger 30, difference 1, 0.000003 USD',
        'difference: 2026-10-01 claude-haiku-4-5 output: vendor 5, ledger 7, difference -2, -0.00003 USD',
        'difference: 2026-10-02 claude-haiku-4-5 input: vendor 0, ledger 5, difference -5, -0.000015 USD',
        'difference: 2026-10-03 gpt input: vendor 1, ledger 0, difference 1, no known price',
        'total: claude-haiku-4-5 input: vendor 31, ledger 35, difference -4, -0.000012 USD',
        'total: claude-haiku-4-5 output: vendor 5, ledger 7, difference -2, -0.00003 USD',
        'total: gpt input: vendor 1, ledger 0, difference 1, no known price',
        'anthropic, 2026-10-01 to 2026-10-03: 2 rows, 3 generations, 4 differences, -0.000042 USD without 1 difference of no known price, 0 warnings',
        '',
      ].join('\n'),
      error: '',
    });
  });

  it('takes a tolerance, bounds of the period, and prints JSON', async () => {
    const { code, out } = await compare(MATCHING, '--to', '2026-10-31', '--tolerance-tokens', '8', '--json');
    expect({ code, ...JSON.parse(out) }).toEqual({
      code: 1,
      format: 'generic',
      provider: 'anthropic',
      period: { from: '2026-10-01', to: '2026-10-31' },
      compared: { rows: 2, generations: 5 },
      differences: [
        {
          day: '2026-10-31',
          model: 'claude-haiku-4-5',
          class: 'input',
          vendor: '0',
          ledger: '9',
          difference: '-9',
          cost: '-0.000027',
        },
      ],
      unlisted: 0,
      totals: [
        { model: 'claude-haiku-4-5', class: 'input', vendor: '35', ledger: '44', difference: '-9', cost: '-0.000027' },
      ],
      cost: '-0.000027',
      unpriced: 0,
      warnings: [
        '1 generation without an upstream model left out',
        '1 generation with estimated tokens',
        '1 generation with operator cost: tokens of failed attempts are not in the ledger',
      ],
    });
    expect(await compare(MATCHING, '--to', '2026-10-31', '--tolerance-tokens', '9')).toMatchObject({ code: 0 });
    expect(await compare(MATCHING, '--from', '2026-09-30', '--to', '2026-10-02')).toMatchObject({
      code: 0,
      out: expect.stringContaining('warning: the ledger has no generations of 2026-09\n'),
    });
  });

  it('compares what went through a credential of a caller where it is given', async () => {
    const rows = ['2026-10-01,claude-haiku-4-5,1000,0,0,0,0'];
    expect(await compare(rows, '--credential', 'cred-1')).toMatchObject({
      code: 0,
      out: expect.stringContaining('1 generation,'),
    });
    expect(await compare(rows)).toMatchObject({ code: 1 });
  });

  it('names the file, the line and the column of a fault', async () => {
    expect(await compare(['2026-10-01,m,1,x,0,0,0'])).toEqual({
      code: 1,
      out: '',
      error: 'ledger:reconcile: usage.csv: line 2, column output_tokens is no number of tokens: "x".\n',
    });
    expect(await run('none.csv')).toMatchObject({ code: 1, error: expect.stringContaining('none.csv: ENOENT') });
    await writeFile(join(folder, 'latin.csv'), Buffer.from([0x64, 0xe9, 0x0a]));
    expect(await run('latin.csv')).toMatchObject({
      code: 1,
      error: 'ledger:reconcile: latin.csv: The file is not UTF-8.\n',
    });
    expect(await compare([])).toMatchObject({ code: 1, error: expect.stringContaining('give --from and --to') });
    expect(await compare(MATCHING, '--from', '2026-02-30')).toMatchObject({
      code: 1,
      error: expect.stringContaining('2026-02-30 is no day'),
    });
  });

  it('needs a provider for the generic form', async () => {
    await compare(MATCHING);
    expect(await run('usage.csv')).toMatchObject({
      code: 2,
      out: '',
      error: expect.stringContaining('--provider is needed'),
    });
  });
});

it.each([
  [['--help'], 0, 'USAGE.csv'],
  [[], 2, 'give one USAGE.csv'],
  [['one.csv', 'two.csv'], 2, 'give one USAGE.csv'],
  [['one.csv', '--all'], 2, '--all'],
  [['one.csv', '--format', 'xls'], 2, '--format is one of anthropic, openai, generic'],
  [['one.csv', '--tolerance-tokens', '-1'], 2, '--tolerance-tokens'],
  [['one.csv', '--from', 'May'], 2, '--from must be a day'],
])('prints its usage for %j', async (words, code, text) => {
  const shown = await outputOf(runReconciliation, { words });
  expect({ code: shown.code, text: shown.out + shown.error }).toEqual({ code, text: expect.stringContaining(text) });
});

async function addGenerations(generate: (at: string, stated: Stated) => Promise<void>): Promise<void> {
  const { id } = await storedPrices();
  const haiku = { upstream_model: 'claude-haiku-4-5', price_version: id };
  await generate('2026-10-01T00:00:00Z', { ...haiku, prompt_tokens: 10, completion_tokens: 7, cache_read_tokens: 40 });
  await generate('2026-10-01T23:59:59.999Z', {
    ...haiku,
    upstream_model: 'claude-haiku-4-5-20251001',
    prompt_tokens: 20,
    cache_write_tokens: 50,
    cache_write_1h_tokens: 60,
  });
  await generate('2026-10-02T00:00:00Z', { ...haiku, prompt_tokens: 5 });
  await generate('2026-10-31T23:59:59Z', { ...haiku, prompt_tokens: 9, is_estimated: true });
  await generate('2026-10-20T00:00:00Z', { ...haiku, operator_cost: '0.1' });
  // None of these is in the bill of the operator's account at the provider, or has a name there.
  await generate('2026-10-01T12:00:00Z', { ...haiku, prompt_tokens: 1_000, is_byok: true, credential: 'cred-1' });
  await generate('2026-10-01T12:00:00Z', { ...haiku, prompt_tokens: 1_000, provider: 'amazon-bedrock' });
  await generate('2026-10-21T12:00:00Z', { prompt_tokens: 1_000 });
}

/** As the gateway stores them. */
async function storedPrices(): Promise<{ readonly id: string; readonly pricing: string }> {
  const kept: { id: string; pricing: string }[] = [];
  const repository: Pick<LedgerRepository, 'keepPrices'> = { keepPrices: async (all) => void kept.push(...all) };
  const versions = new PriceVersions(repository as LedgerRepository);
  versions.versionOf(PRICING);
  await versions.flush();
  return kept[0]!;
}
