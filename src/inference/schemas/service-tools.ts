import {
  freeForm,
  integer,
  number,
  object,
  oneOf,
  optional,
  refused,
  text,
  variant,
  when,
  type TSchema,
} from '../../shared/http/schema.js';
import { domainList, name, wholeNumber, word } from '../../shared/http/bounds.js';
import { userLocation } from '../../shared/http/user-location.js';

/*
 * Parameters of the tools the gateway runs (docs/wire/tools-and-plugins.md#service-tools). All are optional; those not
 * named here are the tools' own affair.
 */

const domains = optional(domainList());
const count = optional(wholeNumber());

const environment = variant('type', {
  container_auto: {},
  container_reference: {
    container_id: text({
      pattern: '^[\\w-]{1,20}$',
      reason: 'must be 1 to 20 letters, digits, underscores or hyphens',
    }),
  },
});

const SLEEP_SECONDS_MAX = 2_592_000;
const sleepAfter = optional(wholeNumber({ max: SLEEP_SECONDS_MAX }));

const searchFields = {
  engine: optional(oneOf(['auto', 'native', 'exa', 'parallel', 'firecrawl', 'perplexity'])),
  max_results: optional(integer({ min: 1, max: 25 })),
  max_total_results: count,
  max_uses: count,
  max_characters: optional(integer({ min: 1, max: 100_000 })),
  search_context_size: optional(oneOf(['low', 'medium', 'high'])),
  allowed_domains: domains,
  excluded_domains: domains,
  user_location: optional(userLocation),
};

const searchParameters = when(
  object({ engine: oneOf(['perplexity']) }),
  object({ ...searchFields, max_results: optional(integer({ min: 1, max: 20 })) }),
  object(searchFields),
);

// Only Exa takes both lists; where the engine is left open the choice falls on it.
const bothDomainLists = object({
  engine: oneOf(['native', 'parallel', 'firecrawl', 'perplexity']),
  allowed_domains: domainList(),
});
const webSearchParameters = when(
  bothDomainLists,
  when(
    object({ excluded_domains: domainList() }),
    object({ excluded_domains: refused('cannot be combined with allowed_domains at this engine') }),
    searchParameters,
  ),
  searchParameters,
);

const withParameters = <S extends TSchema>(parameters: S) => ({ parameters: optional(parameters) });

/** Fields beside `type` of each service-side tool that is known. */
export const serviceTools = {
  'openrouter:bash': withParameters(
    object({
      engine: optional(oneOf(['auto', 'native', 'openrouter'])),
      environment: optional(environment),
      sleep_after_seconds: sleepAfter,
    }),
  ),
  'openrouter:shell': withParameters(
    object({
      engine: optional(oneOf(['auto', 'openrouter'])),
      environment: optional(environment),
      sleep_after_seconds: sleepAfter,
    }),
  ),
  'openrouter:datetime': withParameters(object({ timezone: optional(name()) })),
  'openrouter:image_generation': withParameters(
    object({ model: optional(name()), output_compression: optional(number({ min: 0, max: 100 })) }),
  ),
  'openrouter:experimental__search_models': withParameters(
    // The contract gives the most only (docs/wire/tools-and-plugins.md#service-tools); that less than
    // one is nonsense is chosen.
    object({ max_results: optional(integer({ min: 1, max: 20 })) }),
  ),
  'openrouter:tool_search': withParameters(object({ max_results: optional(integer({ min: 1, max: 50 })) })),
  'openrouter:web_fetch': withParameters(
    object({
      engine: optional(oneOf(['auto', 'native', 'openrouter', 'exa', 'parallel', 'firecrawl'])),
      max_uses: count,
      max_content_tokens: count,
      allowed_domains: domains,
      blocked_domains: domains,
    }),
  ),
  'openrouter:web_search': withParameters(webSearchParameters),
};

/** How the types of all service-side tools begin (docs/wire/clients.md#two-names). */
export const SERVICE_TOOL_PREFIX = 'openrouter:';

/** What `type` says of any tool of the gateway's, known or not. */
export const isServiceTool = object({ type: text({ pattern: `^${SERVICE_TOOL_PREFIX}` }) });

/** A tool of the gateway's that is not known here: whether it exists is decided where tools are run. */
export const otherServiceTool = object({ type: word(), parameters: optional(freeForm()) });
