import { EFFORTS } from '../../core/conversation/effort.js';
import { modelText, name, toolList, wholeNumber } from '../../shared/http/maxima.js';
import { flag, number, object, oneOf, optional, refused, text } from '../../shared/http/schema.js';
import { count } from '../parameter-fields.js';

const maxTokens = wholeNumber({ min: 1 });

/**
 * The parameters of the vendor of this tool's name (`@openrouter/sdk` 1.3, AdvisorServerToolConfig), except an adviser
 * with tools of its own, and `max_uses` and `max_tokens` as Anthropic has them.
 */
export const advisorParameters = object({
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
  // Chat have no field for it, and streamed advice has the same content.
  stream: optional(flag()),
  tools: optional(toolList(refused('no adviser has tools of its own here; leave tools out'))),
  max_tool_calls: count,
});
