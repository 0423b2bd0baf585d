import { flag, freeForm, integer, list, number, object, oneOf, optional, variant } from '../../shared/http/schema.js';
import { domainList, modelNames, modelText, name, optionList, wholeNumber, word } from './bounds.js';
import { userLocation } from './user-location.js';

const switchable = { enabled: optional(flag()) };
const domains = optional(domainList());
const count = optional(wholeNumber());

/** Options of the plugins, by id (docs/wire/tools-and-plugins.md#plugins). Later additions to them are tolerated. */
export const plugins = optionList(
  variant('id', {
    'auto-router': {
      ...switchable,
      allowed_models: optional(modelNames()),
      cost_quality_tradeoff: optional(integer({ min: 0, max: 10 })),
    },
    'context-compression': { ...switchable, engine: optional(oneOf(['middle-out'])) },
    'file-parser': {
      ...switchable,
      pdf: optional(object({ engine: optional(oneOf(['mistral-ocr', 'native', 'cloudflare-ai', 'pdf-text'])) })),
    },
    fusion: {
      ...switchable,
      analysis_models: optional(list(name(), { min: 1, max: 8 })),
      model: optional(name()),
      preset: optional(oneOf(['general-high', 'general-budget', 'general-fast'])),
      max_tool_calls: optional(integer({ min: 1, max: 16 })),
      tools: optional(list(object({ type: word(), parameters: optional(freeForm()) }), { max: 8 })),
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
      search_prompt: optional(modelText()),
      include_domains: domains,
      exclude_domains: domains,
      user_location: optional(userLocation),
    },
    'web-fetch': {
      ...switchable,
      allowed_domains: domains,
      blocked_domains: domains,
      max_content_tokens: count,
      max_uses: count,
    },
  }),
);
