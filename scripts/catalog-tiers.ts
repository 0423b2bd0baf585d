/**
 * What the providers of the shipped catalog charge for service tiers and for a place of their own choosing, from their
 * own pages. A model is here only where its page names these prices, and its plain prices of prompt and completion are
 * those of the catalog.
 */

/** USD per million tokens: prompt, completion, and what is read from a cache and written to one. */
interface Prices {
  readonly prompt: string;
  readonly completion: string;
  readonly input_cache_read?: string;
  readonly input_cache_write?: string;
  readonly input_cache_write_1h?: string;
}

/** A tier, and what it charges where the plain list begins to charge more for a long prompt. */
interface Tariff extends Prices {
  readonly long?: Prices;
}

/** What stands beside an endpoint's plain prices. */
export interface TierChoice {
  /** Pages and their dates, in the catalog's file beside the prices. */
  readonly source: string;
  readonly fast?: Tariff;
  readonly priority?: Tariff;
  readonly flex?: Tariff;
  /** By how much every price of a token is multiplied. */
  readonly geo?: Readonly<Record<string, string>>;
}

/** When these pages were read; what stands behind each is the month that it names itself. */
export const TIERS_DATE = '2026-11-23';

const ANTHROPIC = 'https://platform.claude.com/docs/en/about-claude/pricing, as of November 2026';
const OPENAI = 'https://developers.openai.com/api/docs/pricing, as of September 2026';
const FIREWORKS = 'https://docs.fireworks.ai/serverless/pricing, as of September 2026';

/** Of Claude 4.6 and later models, for all kinds of tokens. */
const US = { us: '1.1' } as const;
const claude = (fast?: Tariff): TierChoice => ({ source: ANTHROPIC, ...(fast && { fast }), geo: US });

type Row = readonly [prompt: string, cacheRead: string, completion: string, cacheWrite?: string];

const pricesOf = ([prompt, input_cache_read, completion, input_cache_write]: Row): Prices => ({
  prompt,
  completion,
  input_cache_read,
  ...(input_cache_write !== undefined && { input_cache_write }),
});
const tariff = (short: Row, long?: Row): Tariff => ({ ...pricesOf(short), ...(long && { long: pricesOf(long) }) });

/** OpenAI calls `priority` fast mode since 2026-07-30; its API takes either word. */
const gpt = (priority?: Tariff, flex?: Tariff): TierChoice => ({
  source: OPENAI,
  ...(priority && { priority }),
  ...(flex && { flex }),
});
const fireworks = (...row: Row): TierChoice => ({ source: FIREWORKS, priority: tariff(row) });

/** By `provider source`, as an `EndpointChoice` names them. */
// oxfmt-ignore
export const TIERS: Readonly<Record<string, TierChoice>> = {
  'anthropic claude-fable-5': claude(),
  'anthropic claude-fable-5-1': claude(),
  'anthropic claude-opus-4-6': claude(),
  'anthropic claude-opus-4-7': claude(),
  // Its fast mode ends on 2026-11-30 (https://code.claude.com/docs/en/fast-mode), and calls for it fail from then on.
  'anthropic claude-opus-4-8': claude(),
  // Caches cost their usual shares of the fast price.
  'anthropic claude-opus-5': claude({ prompt: '10', completion: '50', input_cache_read: '1', input_cache_write: '12.5', input_cache_write_1h: '20' }),
  'anthropic claude-opus-5-5': claude({ prompt: '8', completion: '40', input_cache_read: '0.4', input_cache_write: '10', input_cache_write_1h: '16' }),
  'anthropic claude-sonnet-4-6': claude(),
  'anthropic claude-sonnet-5': claude(),

  'openai gpt-4.1': gpt(tariff(['3.5', '0.875', '14'])),
  'openai gpt-4.1-mini': gpt(tariff(['0.7', '0.175', '2.8'])),
  'openai gpt-4.1-nano': gpt(tariff(['0.2', '0.05', '0.8'])),
  'openai gpt-4o': gpt(tariff(['4.25', '2.125', '17'])),
  'openai gpt-4o-mini': gpt(tariff(['0.25', '0.125', '1'])),
  'openai gpt-5': gpt(tariff(['2.5', '0.25', '20']), tariff(['0.625', '0.0625', '5'])),
  'openai gpt-5-mini': gpt(tariff(['0.45', '0.045', '3.6']), tariff(['0.125', '0.0125', '1'])),
  'openai gpt-5-nano': gpt(undefined, tariff(['0.025', '0.0025', '0.2'])),
  'openai gpt-5.1': gpt(tariff(['2.5', '0.25', '20']), tariff(['0.625', '0.0625', '5'])),
  'openai gpt-5.2': gpt(tariff(['3.5', '0.35', '28']), tariff(['0.875', '0.0875', '7'])),
  // Priority is not sold for long prompts: they are served, reported and charged as what they are then.
  'openai gpt-5.4': gpt(tariff(['5', '0.5', '30']), tariff(['1.25', '0.13', '7.5'], ['2.5', '0.25', '11.25'])),
  'openai gpt-5.4-mini': gpt(tariff(['1.5', '0.15', '9']), tariff(['0.375', '0.0375', '2.25'])),
  'openai gpt-5.4-nano': gpt(undefined, tariff(['0.1', '0.01', '0.625'])),
  'openai gpt-5.5': gpt(tariff(['12.5', '1.25', '75']), tariff(['2.5', '0.25', '15'], ['5', '0.5', '22.5'])),
  'openai gpt-5.6-luna': gpt(tariff(['0.4', '0.04', '2.4', '0.5'], ['0.8', '0.08', '3.6', '1']), tariff(['0.1', '0.01', '0.6', '0.125'], ['0.2', '0.02', '0.9', '0.25'])),
  'openai gpt-5.6-sol': gpt(tariff(['8', '0.8', '40', '10'], ['16', '1.6', '60', '20']), tariff(['2', '0.2', '10', '2.5'], ['4', '0.4', '15', '5'])),
  'openai gpt-5.6-terra': gpt(tariff(['4', '0.4', '24', '5'], ['8', '0.8', '36', '10']), tariff(['1', '0.1', '6', '1.25'], ['2', '0.2', '9', '2.5'])),
  'openai gpt-6-astra': gpt(tariff(['20', '2', '100', '25'], ['40', '4', '150', '50']), tariff(['5', '0.5', '25', '6.25'], ['10', '1', '37.5', '12.5'])),
  'openai o3': gpt(tariff(['3.5', '0.875', '14']), tariff(['1', '0.25', '4'])),
  'openai o4-mini': gpt(tariff(['2', '0.5', '8']), tariff(['0.55', '0.138', '2.2'])),

  'fireworks gpt-oss-120b': fireworks('0.18', '0.018', '0.72'),
  'fireworks kimi-k2p6': fireworks('1.5', '0.22', '6'),
  'fireworks kimi-k2p7-code': fireworks('1.425', '0.285', '6'),
  'fireworks kimi-k3': fireworks('3.75', '0.375', '18.75'),
  'fireworks glm-5p2': fireworks('1.75', '0.18', '5.5'),
  'fireworks minimax-m3': fireworks('0.45', '0.09', '1.8'),
};
