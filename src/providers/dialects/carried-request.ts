import type { ModelRequest } from '../../core/conversation/request.js';
import { anthropicMetadata, presentFields, USER_KEY } from '../../core/conversation/said-fields.js';
import type { Target } from '../../core/provider.js';
import type { RequestField, TranslationTable } from '../../core/translation.js';
import { carries } from './encode-fields.js';

/** The same request, as if a field had not been said. */
type Without = (request: ModelRequest) => ModelRequest;

/**
 * The fields that are no single value with a place of its own (`encode-fields.ts`): encoders put them together, and
 * read them from a request that no longer has those that the table drops. Tiers and places are not the request's alone
 * (`service-tier.ts`).
 */
const WITHOUT: Readonly<Partial<Record<RequestField, Without>>> = {
  system: (request) => ({ ...request, system: [] }),
  max_tokens: ({ maxOutputTokens: _dropped, ...rest }) => rest,
  tools: (request) => ({ ...request, tools: [] }),
  tool_choice: ({ toolChoice: _dropped, ...rest }) => rest,
  parallel_tool_calls: ({ parallelToolCalls: _dropped, toolChoice, ...rest }) => {
    if (toolChoice === undefined) return rest;
    // As it came, the choice would still say it.
    const { origin: _origin, ...choice } = toolChoice;
    return { ...rest, toolChoice: choice };
  },
  reasoning: ({ thinking: _dropped, ...rest }) => rest,
  reasoning_effort: ({ effort: _dropped, outputOrigin: _origin, ...rest }) => rest,
  reasoning_summary: ({ reasoningSummary: _dropped, ...rest }) => rest,
  verbosity: ({ verbosity: _dropped, ...rest }) => rest,
  structured_outputs: ({ outputFormat: _dropped, outputOrigin: _origin, ...rest }) => rest,
  response_format: ({ outputFormat: _dropped, outputOrigin: _origin, ...rest }) => rest,
  modalities: ({ modalities: _dropped, ...rest }) => rest,
  image_config: ({ imageConfig: _dropped, ...rest }) => rest,
  task_budget: ({ taskBudget: _dropped, outputOrigin: _origin, ...rest }) => rest,
  context_management: ({ contextManagement: _dropped, ...rest }) => rest,
  cache_control: ({ cacheMarker: _dropped, ...rest }) => rest,
  user: (request) => {
    const { user: _dropped, ...rest } = request;
    const own = anthropicMetadata(request);
    if (own === undefined) return rest;
    const { [USER_KEY]: _user, ...value } = own;
    return { ...rest, metadata: { vendor: 'anthropic', value } };
  },
  metadata: (request) => {
    const user = anthropicMetadata(request)?.[USER_KEY];
    if (user !== undefined) return { ...request, metadata: { vendor: 'anthropic', value: { [USER_KEY]: user } } };
    const { metadata: _dropped, ...rest } = request;
    return rest;
  },
  prompt_cache_key: ({ promptCacheKey: _dropped, ...rest }) => rest,
  betas: (request) => ({ ...request, betas: [] }),
};

/** The request as far as the table lets its fields through to this target: the very same where it drops none. */
export function carriedRequest(
  request: ModelRequest,
  target: Target,
  table: Pick<TranslationTable<Target>, 'fields'>,
): ModelRequest {
  let carried = request;
  for (const field of presentFields(request)) {
    const without = WITHOUT[field];
    if (without !== undefined && !carries(table, field, target)) carried = without(carried);
  }
  return carried;
}
