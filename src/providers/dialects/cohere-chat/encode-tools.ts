import type { FunctionTool } from '../../../core/conversation/tools.js';
import type { JsonObject } from '../../../core/json/json.js';
import type { Steps } from '../../../core/steps.js';
import { currentSchema, SCHEMA_STEPS } from '../schemas/fitted-schemas.js';
import { sentChoice, sentFunctions } from '../sent-tools.js';
import { withObjectType } from '../schemas/tool-schema.js';
import type { CohereContext } from './encode-context.js';
import type { CohereToolFields } from './wire.js';

/**
 * The tool fields of a body; none without tools. The format cannot choose one tool by name. Then only that tool is
 * sent, and a call is required.
 * @throws Untranslatable as `sentTools` does, and for a choice among no tools
 */
export function* encodeTools(context: CohereContext): Steps<CohereToolFields> {
  const known = yield* sentFunctions(context, 'cohere');
  if (known.length === 0) return {};
  const choice = sentChoice(context);
  const sent = choice?.type === 'tool' ? known.filter(({ name }) => name === choice.name) : known;
  if (sent.length === 0) return context.refuse('tool_choice', 'a choice of a tool that is not among the tools');
  const word = choiceWord(choice?.type);
  const tools: JsonObject[] = [];
  for (const tool of sent) {
    if (context.steps.isOver(SCHEMA_STEPS)) yield;
    tools.push(yield* functionTool(tool, context));
  }
  return {
    tools,
    ...(word !== undefined && { tool_choice: word }),
    // The field applies to all tools, so each of them must request it.
    ...(sent.every(({ strict }) => strict === true) && { strict_tools: true as const }),
  };
}

function choiceWord(type: 'auto' | 'any' | 'none' | 'tool' | undefined): 'REQUIRED' | 'NONE' | undefined {
  switch (type) {
    case 'any':
    case 'tool':
      return 'REQUIRED';
    case 'none':
      return 'NONE';
    case 'auto':
    case undefined:
      return undefined;
  }
}

function* functionTool({ name, description, inputSchema }: FunctionTool, context: CohereContext): Steps<JsonObject> {
  return {
    type: 'function',
    function: {
      name: context.names.toWire(name),
      ...(description !== undefined && { description }),
      parameters: withObjectType(yield* currentSchema(inputSchema)),
    },
  };
}
