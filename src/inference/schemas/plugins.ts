import {
  flag,
  freeForm,
  integer,
  list,
  number,
  object,
  oneOf,
  optional,
  text,
  variant,
} from '../../shared/http/schema.js';
import { userLocation } from './user-location.js';

const switchable = { enabled: optional(flag()) };
const patterns = optional(list(text()));
const count = optional(integer());

/** Options of the plugins, by id (docs/wire/tools-and-plugins.md#plugins). Later additions to them are tolerated. */
export const plugins = list(
  variant('id', {
    'auto-router': {
      ...switchable,
      allowed_models: patterns,
      cost_quality_tradeoff: optional(integer({ min: 0, max: 10 })),
    },
    'context-compression': { ...switchable, engine: optional(oneOf(['middle-out'])) },
    'file-parser': {
      ...switchable,
      pdf: optional(object({ engine: optional(oneOf(['mistral-ocr', 'native', 'cloudflare-ai', 'pdf-text'])) })),
    },
    fusion: {
      ...switchable,
      analysis_models: optional(list(text(), { min: 1, max: 8 })),
      model: optional(text()),
      preset: optional(oneOf(['general-high', 'general-budget', 'general-fast'])),
      max_tool_calls: optional(integer({ min: 1, max: 16 })),
      tools: optional(list(object({ type: text(), parameters: optional(freeForm()) }), { max: 8 })),
    },
    moderation: {},
    'pareto-router': {
      ...switchable,
      min_coding_score: optional(number({ min: 0, max: 1 })),
      price_source: optional(oneOf(['prompt', 'weighted_avg'])),
    },
    'response-healing': switchable,
    web: {
      ...switchable,
      engine: optional(oneOf(['native', 'exa', 'firecrawl', 'parallel', 'perplexity'])),
      max_results: count,
      max_uses: count,
      search_prompt: optional(text()),
      include_domains: patterns,
      exclude_domains: patterns,
      user_location: optional(userLocation),
    },
    'web-fetch': {
      ...switchable,
      allowed_domains: patterns,
      blocked_domains: patterns,
      max_content_tokens: count,
      max_uses: count,
    },
  }),
);
