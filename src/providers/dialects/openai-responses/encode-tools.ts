import { typeOf, type FunctionTool, type VendorTool } from '../../../core/conversation/tools.js';
import { isJsonObject, type JsonObject } from '../../../core/json/json.js';
import type { Steps } from '../../../core/steps.js';
import type { EncodeContext } from '../encode-context.js';
import { ownTool } from './own-tools.js';
import { wantsImages } from '../output-modalities.js';
import { choiceFields, type ChoiceFormat } from '../openai-fields.js';
import { NAMES_ALLOWED_TOOLS } from '../rules.js';
import { openaiToolSchema, SCHEMA_STEPS } from '../schemas/fitted-schemas.js';
import { sentTools } from '../sent-tools.js';
import { isHeld } from '../schemas/strict-schema.js';
import type { ToolFields } from './wire.js';

type Rule = (tool: JsonObject) => boolean;
const ALWAYS: Rule = () => true;

/**
 * The vendor's own tools that are sent, by their type without a date. Others are refused: those that read what the
 * account keeps (`file_search`) or call other services (`mcp`), as fields of that kind are
 * (`providers/catalog/denied-fields.ts`), and those whose calls nothing here answers (`computer_use`, `shell`).
 */
const VENDOR_TOOLS: Readonly<Record<string, Rule>> = {
  web_search: ALWAYS,
  web_search_preview: ALWAYS,
  image_generation: ALWAYS,
  // The caller answers its calls.
  custom: ALWAYS,
  // Only in a new container, without the account's files.
  code_interpreter: ({ container }) =>
    isJsonObject(container) && container['type'] === 'auto' && container['file_ids'] === undefined,
};
/** Matches the date in `web_search_2025_08_26`, `web_search_preview_2025_03_11`. */
const DATE = /_\d{4}_\d{2}_\d{2}$/;

const CHOICES: ChoiceFormat = {
  /** The vendor's own tools have no name in this format: a choice names their type. */
  named: (name, own) => (own ? { type: typeOf(own) } : { type: 'function', name }),
  among: (mode, tools) => ({ type: 'allowed_tools', mode, tools }),
};

/** `CHOICES`, for requests in which custom tools, shells or the patch tool are sent in their own form. */
function choicesAmong(sent: readonly JsonObject[]): ChoiceFormat {
  const own = new Map<string, JsonObject>();
  for (const { type, name } of sent) {
    if (type === 'custom' && typeof name === 'string') own.set(name, { type, name });
    else if (typeof type === 'string' && name === undefined) own.set(type, { type });
  }
  return { ...CHOICES, named: (name, tool) => (tool ? undefined : own.get(name)) ?? CHOICES.named(name, tool) };
}

/**
 * The tool fields of a body; none without tools, when a choice has no meaning.
 * @throws Untranslatable as `sentTools` does
 */
export function* encodeTools(context: EncodeContext): Steps<ToolFields> {
  const known = yield* sentTools(context, isSent, NAMES_ALLOWED_TOOLS.holds(context.target));
  const sent: JsonObject[] = [];
  for (const tool of known) {
    if (context.steps.isOver(SCHEMA_STEPS)) yield;
    sent.push(tool.type === 'vendor' ? tool.opaque.value : yield* functionTool(tool, context));
  }
  const draws = wantsImages(context.request, context.target) && !sent.some(({ type }) => type === IMAGE_GENERATION);
  const tools = draws ? [...sent, imageTool(context)] : sent;
  if (tools.length === 0) return {};
  return {
    tools,
    ...(draws && choiceOfImage(context)),
    ...choiceFields(context, known, hasOwnForms(known) ? choicesAmong(sent) : CHOICES),
  };
}

function isSent({ opaque }: VendorTool): boolean {
  const { type } = opaque.value;
  if (opaque.vendor !== 'openai-responses' || typeof type !== 'string') return false;
  const name = type.replace(DATE, '');
  return Object.hasOwn(VENDOR_TOOLS, name) && VENDOR_TOOLS[name]!(opaque.value);
}

/**
 * The tool with which a model of this format generates images (developers.openai.com/api/docs/guides/image-generation).
 */
const IMAGE_GENERATION = 'image_generation';
const IMAGE_FIELDS = ['quality', 'size', 'background', 'output_format', 'output_compression', 'moderation'] as const;

function imageTool({ request: { imageConfig = {} } }: EncodeContext): JsonObject {
  const fields = IMAGE_FIELDS.filter((field) => imageConfig[field] !== undefined);
  return { type: IMAGE_GENERATION, ...Object.fromEntries(fields.map((field) => [field, imageConfig[field]])) };
}

/** A caller that requests images without text requires the tool. */
const choiceOfImage = ({ request: { modalities } }: EncodeContext): Pick<ToolFields, 'tool_choice'> =>
  modalities?.includes('text') === false ? { tool_choice: { type: IMAGE_GENERATION } } : {};

const hasOwnForms = (tools: readonly (FunctionTool | VendorTool)[]): boolean =>
  tools.some((tool) => tool.type === 'function' && ownTool(tool) !== undefined);

function* functionTool(tool: FunctionTool, context: EncodeContext): Steps<JsonObject> {
  const own = ownTool(tool);
  if (own !== undefined) return own['name'] === undefined ? own : { ...own, name: context.names.toWire(tool.name) };
  const { schema } = yield* openaiToolSchema(tool.inputSchema, context.target);
  return {
    type: 'function',
    name: context.names.toWire(tool.name),
    ...(tool.description !== undefined && { description: tool.description }),
    parameters: schema,
    // `strict` defaults to true in this format, which refuses most schemas that were not written for it.
    strict: isHeld(schema, tool.strict ?? false, context.target),
  };
}
