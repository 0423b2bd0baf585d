import { EFFORTS } from '../../core/conversation/effort.js';
import { SEARCH_ENGINES } from '../../core/routing/catalog.js';
import { SERVICE_TOOL_PREFIX } from '../../core/tool.js';
import {
  flag,
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
  type TProperties,
  type TSchema,
} from './schema.js';
import { domainList, modelText, name, toolList, wholeNumber, word } from './bounds.js';
import { userLocation } from './user-location.js';

/*
 * Parameters of the tools the gateway runs (docs/wire/tools-and-plugins.md#service-tools). All are optional; those not
 * named here are the tools' own affair.
 */

const domains = optional(domainList());
const count = optional(wholeNumber());
/** Of what a model may write. */
const maxTokens = wholeNumber({ min: 1 });

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

export const searchFields = {
  engine: optional(oneOf(['auto', 'native', ...SEARCH_ENGINES])),
  max_results: optional(integer({ min: 1, max: 25 })),
  max_total_results: count,
  max_uses: count,
  max_characters: optional(integer({ min: 1, max: 100_000 })),
  search_context_size: optional(oneOf(['low', 'medium', 'high'])),
  allowed_domains: domains,
  excluded_domains: domains,
  user_location: optional(userLocation),
};

// Only Exa takes both lists; where the engine is left open the choice falls on it.
const bothDomainLists = object({
  engine: oneOf(['native', ...SEARCH_ENGINES.filter((engine) => engine !== 'exa')]),
  allowed_domains: domainList(),
});

/** An object with the options of a web search, and others beside them. */
export function webSearchFields<Fields extends TProperties>(others: Fields) {
  const anyEngine = object({ ...searchFields, ...others });
  const searched = when(
    object({ engine: oneOf(['perplexity']) }),
    object({ ...searchFields, ...others, max_results: optional(integer({ min: 1, max: 20 })) }),
    anyEngine,
  );
  return when(
    bothDomainLists,
    when(
      object({ excluded_domains: domainList() }),
      object({ ...others, excluded_domains: refused('cannot be combined with allowed_domains at this engine') }),
      searched,
    ),
    searched,
  );
}

const webSearchParameters = webSearchFields({});

/**
 * Those of the vendor of this tool's name (`@openrouter/sdk` 1.3, AdvisorServerToolConfig), but for an adviser with
 * tools of its own, and `max_uses` and `max_tokens` as Anthropic has them.
 */
const advisorParameters = object({
  model: optional(name({ min: 1 })),
  name: optional(
    text({ pattern: '^[\\w -]{1,64}$', reason: 'must be 1 to 64 letters, digits, spaces, underscores or hyphens' }),
  ),
  instructions: optional(modelText()),
  forward_transcript: optional(flag()),
  max_uses: count,
  max_tokens: optional(maxTokens),
  max_completion_tokens: optional(maxTokens),
  temperature: optional(number({ min: 0, max: 2 })),
  reasoning: optional(object({ effort: optional(oneOf(EFFORTS)), max_tokens: optional(maxTokens) })),
  // Chat has no place for it, and advice that is told in parts says nothing else.
  stream: optional(flag()),
  tools: optional(toolList(refused('no adviser has tools of its own here; leave tools out'))),
  max_tool_calls: count,
});

const withParameters = <S extends TSchema>(parameters: S) => ({ parameters: optional(parameters) });

/** Fields beside `type` of each service-side tool that is known. */
export const serviceTools = {
  'openrouter:advisor': withParameters(advisorParameters),
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

/** What `type` says of any tool of the gateway's, known or not. */
export const isServiceTool = object({ type: text({ pattern: `^${SERVICE_TOOL_PREFIX}` }) });

/** Of a tool of the gateway's that is not known here: whether it exists is decided where tools are run. */
export const otherServiceFields = { type: word(), ...withParameters(freeForm()) };
