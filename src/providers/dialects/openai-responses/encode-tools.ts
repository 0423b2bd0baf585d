import { typeOf, type FunctionTool, type VendorTool } from '../../../core/conversation/tools.js';
import { isJsonObject, type JsonObject } from '../../../core/json/json.js';
import type { Steps } from '../../../core/steps.js';
import type { EncodeContext } from '../encode-context.js';
import { wantsImages } from '../output-modalities.js';
import { choiceFields } from '../openai-fields.js';
import { sentTools } from '../sent-tools.js';
import { withObjectType } from '../tool-schema.js';
import type { ToolFields } from './wire.js';

type Rule = (tool: JsonObject) => boolean;
const ALWAYS: Rule = () => true;

/**
 * The vendor's own tools that are sent, by their type without a date. Others are refused: those that look into what the
 * account keeps (`file_search`) or reach elsewhere (`mcp`), as fields of that kind are
 * (`providers/catalog/denied-fields.ts`), and those that nobody here has answers for (`computer_use`, `shell`).
 */
const VENDOR_TOOLS: Readonly<Record<string, Rule>> = {
  web_search: ALWAYS,
  web_search_preview: ALWAYS,
  image_generation: ALWAYS,
  // Its words are the caller's to answer.
  custom: ALWAYS,
  // A container of its own, without files of the account's.
  code_interpreter: ({ container }) =>
    isJsonObject(container) && container['type'] === 'auto' && container['file_ids'] === undefined,
};
/** `web_search_2025_08_26`, `web_search_preview_2025_03_11`. */
const DATE = /_\d{4}_\d{2}_\d{2}$/;

/**
 * The tool fields of a body; none without tools, since there is no choice among nothing.
 * @throws Untranslatable as `sentTools` does
 */
export function* encodeTools(context: EncodeContext): Steps<ToolFields> {
  const sent = (yield* sentTools(context, isSent)).map((tool) =>
    tool.type === 'vendor' ? tool.opaque.value : functionTool(tool, context),
  );
  const draws = wantsImages(context.request, context.target) && !sent.some(({ type }) => type === IMAGE_GENERATION);
  const tools = draws ? [...sent, imageTool(context)] : sent;
  if (tools.length === 0) return {};
  return {
    tools,
    ...(draws && choiceOfImage(context)),
    ...choiceFields(context, choiceOfTool),
  };
}

function isSent({ opaque }: VendorTool): boolean {
  const { type } = opaque.value;
  if (opaque.vendor !== 'openai-responses' || typeof type !== 'string') return false;
  const name = type.replace(DATE, '');
  return Object.hasOwn(VENDOR_TOOLS, name) && VENDOR_TOOLS[name]!(opaque.value);
}

/** What a model of this format draws with (developers.openai.com/api/docs/guides/image-generation). */
const IMAGE_GENERATION = 'image_generation';
const IMAGE_FIELDS = ['quality', 'size', 'background', 'output_format', 'output_compression', 'moderation'] as const;

function imageTool({ request: { imageConfig = {} } }: EncodeContext): JsonObject {
  const fields = IMAGE_FIELDS.filter((field) => imageConfig[field] !== undefined);
  return { type: IMAGE_GENERATION, ...Object.fromEntries(fields.map((field) => [field, imageConfig[field]])) };
}

/** Who wants no words wants the picture for certain. */
const choiceOfImage = ({ request: { modalities } }: EncodeContext): Pick<ToolFields, 'tool_choice'> =>
  modalities?.includes('text') === false ? { tool_choice: { type: IMAGE_GENERATION } } : {};

/** The vendor's own tools have no name in this format: their type is what is chosen. */
const choiceOfTool = (name: string, own?: VendorTool): JsonObject =>
  own ? { type: typeOf(own) } : { type: 'function', name };

function functionTool(tool: FunctionTool, context: EncodeContext): JsonObject {
  return {
    type: 'function',
    name: context.names.toWire(tool.name),
    ...(tool.description !== undefined && { description: tool.description }),
    parameters: withObjectType(tool.inputSchema),
    // What is not said is true in this format, which refuses most schemas that were not written for it.
    strict: tool.strict ?? false,
  };
}
