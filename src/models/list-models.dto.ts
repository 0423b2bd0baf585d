import type { PicoUsd } from '../core/money/credits.js';
import { MODALITIES, OUTPUT_MODALITIES } from '../core/routing/catalog.js';
import { Fits } from '../shared/http/fits.decorator.js';
import { MayOmit } from '../shared/http/may-omit.decorator.js';
import { PageOffset, QueryFlag, QueryList, QueryNumber, QueryUsd } from '../shared/http/query-validators.js';
import { compile, literal, oneOf, text } from '../shared/http/schema.js';

const WORDS_CHARACTERS_MAX = 256;
/** Several times as many as all modalities together. */
const LIST_CHARACTERS_MAX = 1_024;
/** Modalities of the wire format that a catalog cannot have: no model matches these. */
const OTHER_MODALITIES = ['decisions', 'speech', 'transcription'];

const listPattern = (names: readonly string[]): string => `^(${names.join('|')})?(,(${names.join('|')})?)*$`;
const modalities = (...known: readonly string[]) => {
  const names = [...known, ...OTHER_MODALITIES];
  return compile(
    text({
      max: LIST_CHARACTERS_MAX,
      pattern: listPattern(names),
      reason: `must be a list, separated by commas, of ${names.join(', ')}`,
    }),
  );
};

// Bounded, so that it stays an exact integer.
const limit = compile(text({ pattern: '^([1-9][0-9]{0,2}|1000)$', reason: 'must be an integer from 1 to 1000' }));
const count = compile(text({ pattern: '^[0-9]{1,12}$', reason: 'must be an integer, 0 or more' }));
const amount = compile(
  text({ pattern: '^[0-9]{1,12}(\\.[0-9]{1,12})?$', reason: 'must be a decimal, 0 or more, such as "0.25"' }),
);
const figure = compile(text({ pattern: '^-?[0-9]{1,12}(\\.[0-9]{1,12})?$', reason: 'must be a decimal' }));
const share = compile(
  text({ pattern: '^(0(\\.[0-9]{1,12})?|1(\\.0{1,12})?)$', reason: 'must be a decimal from 0 to 1' }),
);
const words = compile(text({ max: WORDS_CHARACTERS_MAX }));
const names = compile(
  text({
    pattern: '^[^,]{0,128}(,[^,]{0,128}){0,127}$',
    reason: 'must be a list, separated by commas, of at most 128 names',
  }),
);
const inputModalities = modalities(...MODALITIES);
const outputModalities = modalities(...OUTPUT_MODALITIES, 'all');
const category = compile(
  oneOf([
    'programming', 'roleplay', 'marketing', 'marketing/seo', 'technology', 'science', 'translation', 'legal', 'finance', 'health',
    'trivia', 'academia',
  ]), // oxfmt-ignore
);
const onlyTrue = compile(literal('true'));
const onlyFalse = compile(literal('false'));
const region = compile(oneOf(['eu', 'us']));

export const MODEL_SORTS = [
  'most-popular', 'newest', 'top-weekly', 'pricing-low-to-high', 'pricing-high-to-low', 'context-high-to-low',
  'throughput-high-to-low', 'latency-low-to-high', 'intelligence-high-to-low', 'coding-high-to-low', 'agentic-high-to-low',
  'design-arena-elo-high-to-low',
] as const; // oxfmt-ignore
export type ModelSort = (typeof MODEL_SORTS)[number];
const sort = compile(oneOf(MODEL_SORTS));

/**
 * Query of `GET /models` and its neighbours (docs/use/models.md#filters-order-pages). Parameters beyond these are
 * ignored (docs/use/conventions.md#unknown-parameters).
 */
export class ListModelsDto {
  @PageOffset()
  offset?: number;

  @QueryNumber(limit)
  limit?: number;

  @MayOmit()
  @Fits(words)
  after_id?: string;

  @MayOmit()
  @Fits(words)
  before_id?: string;

  @MayOmit()
  @Fits(sort)
  sort?: ModelSort;

  @MayOmit()
  @Fits(words)
  q?: string;

  @QueryList(names)
  supported_parameters?: readonly string[];

  @QueryList(inputModalities)
  input_modalities?: readonly string[];

  @QueryList(outputModalities)
  output_modalities?: readonly string[];

  @QueryNumber(count)
  context?: number;

  @QueryUsd(amount)
  min_price?: PicoUsd;

  @QueryUsd(amount)
  max_price?: PicoUsd;

  @QueryUsd(amount)
  min_output_price?: PicoUsd;

  @QueryUsd(amount)
  max_output_price?: PicoUsd;

  @QueryList(names)
  model_authors?: readonly string[];

  @QueryList(names)
  providers?: readonly string[];

  @QueryFlag()
  distillable?: boolean;

  @QueryFlag(onlyTrue)
  zdr?: boolean;

  @MayOmit()
  @Fits(region)
  region?: 'eu' | 'us';

  @MayOmit()
  @Fits(category)
  category?: string;

  @MayOmit()
  @Fits(words)
  arch?: string;

  @QueryNumber(count)
  min_age_days?: number;

  @QueryNumber(count)
  max_age_days?: number;

  @QueryNumber(figure)
  min_intelligence_index?: number;

  @QueryNumber(figure)
  max_intelligence_index?: number;

  @QueryNumber(figure)
  min_coding_index?: number;

  @QueryNumber(figure)
  max_coding_index?: number;

  @QueryNumber(figure)
  min_agentic_index?: number;

  @QueryNumber(figure)
  max_agentic_index?: number;

  @QueryNumber(share)
  min_tool_success_rate?: number;

  @QueryNumber(share)
  max_tool_success_rate?: number;

  @QueryFlag()
  callable?: boolean;

  // There is no feed: a request for one is refused rather than answered with something else.
  @QueryFlag(onlyFalse)
  use_rss?: boolean;

  @QueryFlag(onlyFalse)
  use_rss_chat_links?: boolean;
}
