import type { ModelRequest } from '../../../core/conversation/request.js';
import type { FunctionTool, Tool } from '../../../core/conversation/tools.js';
import { StepCounter, type Steps } from '../../../core/steps.js';
import { heldAnswer, SCHEMA_STEPS, strictToolSchema } from './fitted-schemas.js';
import { OPTIONAL_PROPERTIES_MAX, UNIONS_MAX } from './schema-restrictions.js';

const STRICT_TOOLS_MAX = 20;

/**
 * The tools of a request for which Claude enforces the schema: in order, up to its limits. The others are sent without
 * `strict`.
 */
export function* strictTools({ tools, outputFormat }: ModelRequest): Steps<ReadonlySet<Tool>> {
  const strict = new Set<Tool>();
  const requested = tools.filter((tool): tool is FunctionTool => tool.type === 'function' && tool.strict === true);
  if (requested.length === 0) return strict;
  const form = outputFormat?.type === 'json-schema' ? yield* heldAnswer(outputFormat.schema) : undefined;
  let optionalLeft = OPTIONAL_PROPERTIES_MAX - (form?.optionalProperties ?? 0);
  let unionsLeft = UNIONS_MAX - (form?.unions ?? 0);
  const steps = new StepCounter();
  for (const tool of requested) {
    if (strict.size === STRICT_TOOLS_MAX) break;
    if (steps.isOver(SCHEMA_STEPS)) yield;
    const { fits, optionalProperties, unions } = yield* strictToolSchema(tool.inputSchema);
    if (!fits) continue;
    if (optionalProperties > optionalLeft || unions > unionsLeft) continue;
    optionalLeft -= optionalProperties;
    unionsLeft -= unions;
    strict.add(tool);
  }
  return strict;
}
