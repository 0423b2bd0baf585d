// The exports of the vendors are recognised and summed up by day and model, and a fault is named by its line and
// column. Method: the headers of real files, with rows of our own.
import { sumExport, type VendorUsage } from './read-export.js';

const ANTHROPIC =
  'usage_date_utc,model_version,api_key,workspace,usage_type,context_window,usage_input_tokens_no_cache,' +
  'usage_input_tokens_cache_write_5m,usage_input_tokens_cache_write_1h,usage_input_tokens_cache_read,' +
  'usage_output_tokens,web_search_count,inference_geo,speed';
const OPENAI =
  'start_time,end_time,start_time_iso,end_time_iso,num_model_requests,model,batch,input_tokens,output_tokens,' +
  'input_cached_tokens,input_uncached_tokens';
const GENERIC = 'day,model,input_tokens,output_tokens';

async function* piecesOf(...lines: readonly string[]): AsyncGenerator<string, void> {
  for (const line of lines) yield `${line}\n`;
}

const sum = (...lines: readonly string[]): Promise<VendorUsage> => sumExport(piecesOf(...lines));

const shown = ({ usage }: VendorUsage): unknown =>
  [...usage.values()].map(({ day, model, tokens }) => [day, model, ...Object.values(tokens).map(Number)]);

it('sums up days and hours of Anthropic, without the snapshots of models', async () => {
  const read = await sum(
    ANTHROPIC,
    '2026-10-01,claude-haiku-4-5-20251001,"one, two",Default,standard,≤ 200k,10,20,30,40,50,0,global,',
    '2026-10-01 23:00,claude-haiku-4-5,three,Default,standard,> 200k,1,2,3,4,5,0,global,',
    '2026-10-02,claude-haiku-4-5-20251001,three,Default,standard,≤ 200k,7,0,0,0,0,0,global,',
  );
  expect(read).toMatchObject({ format: 'anthropic', rows: 3, period: { from: '2026-10-01', to: '2026-10-02' } });
  expect(shown(read)).toEqual([
    ['2026-10-01', 'claude-haiku-4-5', 11, 44, 22, 33, 55],
    ['2026-10-02', 'claude-haiku-4-5', 7, 0, 0, 0, 0],
  ]);
});

it('takes what was cached from the input of OpenAI, and days without usage for days', async () => {
  const read = await sum(
    OPENAI,
    '1790812800,1790899200,2026-10-01T00:00:00+00:00,2026-10-02T00:00:00+00:00,10.0,gpt-5-mini-2025-08-07,FALSE,59200.0,10646.0,5760.0,53440.0',
    '1790899140,1790899200,2026-10-01T23:59:00+00:00,2026-10-02T00:00:00+00:00,1,gpt-5-mini,FALSE,100,1,0,100',
    '1790899200,1790985600,2026-10-02T00:00:00+00:00,2026-10-03T00:00:00+00:00,,,,,,,',
  );
  expect(read).toMatchObject({ format: 'openai', rows: 3, period: { from: '2026-10-01', to: '2026-10-02' } });
  expect(shown(read)).toEqual([['2026-10-01', 'gpt-5-mini', 53_540, 5_760, 0, 0, 10_647]]);
});

it('takes what was written to a cache from the input of OpenAI, where the file has it', async () => {
  const header = 'start_time,model,input_tokens,input_cached_tokens,input_cache_write_tokens,output_tokens';
  expect(shown(await sum(header, '1790812800,gpt-5.6,100,30,20,7'))).toEqual([
    ['2026-10-01', 'gpt-5.6', 50, 30, 20, 0, 7],
  ]);
});

it('reads the generic form with columns in any order', async () => {
  const read = await sum('output_tokens,model,day,input_tokens,cache_write_1h_tokens', '1,m,2026-10-01T05:00:00Z,2,3');
  expect(shown(read)).toEqual([['2026-10-01', 'm', 2, 0, 0, 3, 1]]);
  expect(await sum(GENERIC)).toMatchObject({ period: undefined, rows: 0 });
});

it.each<[string, readonly string[], string]>([
  ['nothing', [], 'The file is empty.'],
  [
    'another file',
    ['a;b'],
    'line 1: the header is of no known export: it has none of the columns usage_date_utc (anthropic), start_time (openai), day (generic).',
  ],
  ['a missing column', ['day,model,input_tokens'], 'line 1: the header has no column output_tokens (generic).'],
  [
    'usage without models',
    ['start_time,input_tokens,input_cached_tokens,output_tokens'],
    'line 1: the header has no column model: export the usage by model (openai).',
  ],
  ['a misspelt column', [`${GENERIC},cached_tokens`], 'line 1: cached_tokens is no column of the generic form.'],
  ['a column twice', ['day,model,day'], 'line 1: the header has a column twice.'],
  ['a short row', [GENERIC, '2026-10-01,m,1'], 'line 2: 3 cells, and the header has 4.'],
  ['a day that is none', [GENERIC, '2026-02-30,m,1,2'], 'line 2, column day is no time: "2026-02-30".'],
  [
    'another time zone',
    [GENERIC, '2026-02-03T00:00:00+02:00,m,1,2'],
    'line 2, column day is no time: "2026-02-03T00:00:00+02:00".',
  ],
  ['no model', [GENERIC, '2026-10-01,,1,2'], 'line 2, column model is empty: export the usage by model.'],
  ['a negative number', [GENERIC, '2026-10-01,m,-1,2'], 'line 2, column input_tokens is no number of tokens: "-1".'],
  ['a fraction', [GENERIC, '2026-10-01,m,1,2.5'], 'line 2, column output_tokens is no number of tokens: "2.5".'],
  [
    'more cached than sent',
    ['start_time,model,input_tokens,input_cached_tokens,output_tokens', '1790812800,m,1,2,3'],
    'line 2, column input_tokens is less than input_cached_tokens and input_cache_write_tokens, which it includes.',
  ],
  [
    'a time beyond all years',
    ['start_time,model,input_tokens,input_cached_tokens,output_tokens', '999999999999999,m,1,0,3'],
    'line 2, column start_time is no time: "999999999999999".',
  ],
])('refuses %s', async (_, lines, message) => {
  await expect(sum(...lines)).rejects.toThrow(new Error(message));
});
