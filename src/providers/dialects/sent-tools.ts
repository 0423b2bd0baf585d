import type { FunctionTool, ToolChoice, VendorTool } from '../../core/conversation/tools.js';
import { definedOnly } from '../../core/defined.js';
import type { Vendor } from '../../core/json/json.js';
import type { Steps } from '../../core/steps.js';
import type { EncodeContext } from './encode-context.js';

/**
 * The tools of a request as far as the table lets them through to a target.
 * @param isOwn whether a vendor's tool is one of the format's own, which goes as it came
 * @throws Untranslatable for tools that another vendor, or the gateway, runs
 *   (docs/reasons/translation.md#tools-of-other-parties)
 */
export function* sentTools(
  context: EncodeContext,
  isOwn: (tool: VendorTool) => boolean,
): Steps<readonly (FunctionTool | VendorTool)[]> {
  const sent: (FunctionTool | VendorTool)[] = [];
  for (const [index, tool] of context.request.tools.entries()) {
    if (context.steps.isOver()) yield;
    const path = `tools.${index}`;
    switch (tool.type) {
      case 'function':
        if (context.admitsTool('function', path, tool.name)) sent.push(admitted(tool, path, context));
        break;
      case 'vendor':
        if (context.admitsTool(isOwn(tool) ? 'own' : 'foreign', path, vendorToolName(tool))) sent.push(tool);
        break;
      case 'service':
        // No vendor knows it: only a gateway that runs it takes it from the request.
        if (context.admitsTool('service', path, tool.id)) context.refuse(path, `the tool ${tool.id}`);
    }
  }
  return sent;
}

/**
 * The same where the format has no part for the vendor's own tools.
 * @throws Untranslatable as `sentTools` does
 */
export function* sentFunctions(context: EncodeContext, vendor: Vendor): Steps<readonly FunctionTool[]> {
  const tools = yield* sentTools(context, ({ opaque }) => opaque.vendor === vendor);
  return tools.filter((tool) => tool.type === 'function');
}

/** The choice among the tools, where the table has a word for it. @throws Untranslatable where it is refused */
export function sentChoice(context: EncodeContext): ToolChoice | undefined {
  const { toolChoice } = context.request;
  if (toolChoice === undefined) return undefined;
  return context.admitsTool(`choice_${toolChoice.type}`, 'tool_choice') ? toolChoice : undefined;
}

/** What stands on a tool goes by rows of its own; as it came, a tool would still say what they drop. */
function admitted(tool: FunctionTool, path: string, context: EncodeContext): FunctionTool {
  const { strict, cacheMarker, origin: _origin, ...rest } = tool;
  const isStrict = strict === undefined || context.admitsTool('strict', path);
  const isMarked = cacheMarker === undefined || context.admitsTool('cache_control', path);
  if (isStrict && isMarked) return tool;
  return {
    ...rest,
    ...definedOnly({ strict: isStrict ? strict : undefined, cacheMarker: isMarked ? cacheMarker : undefined }),
  };
}

/** A vendor's own tool, behind the words of the table. */
function vendorToolName({ name, opaque }: VendorTool): string {
  const { type } = opaque.value;
  const kind = typeof type === 'string' ? type : 'unknown';
  return name === undefined || name === kind ? kind : `${name} (${kind})`;
}
