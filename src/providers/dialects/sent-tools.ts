import { allowedBy, type FunctionTool, type ToolChoice, type VendorTool } from '../../core/conversation/tools.js';
import { definedOnly } from '../../core/defined.js';
import type { Vendor } from '../../core/json/json.js';
import type { Steps } from '../../core/steps.js';
import { matchesOneToolName } from '../../core/tool.js';
import type { EncodeContext } from './encode-context.js';

/**
 * The tools of a request that the table permits for a target.
 * @param isOwn whether a vendor's tool is one of the format's own, which is sent unchanged
 * @param namesAllowed whether a choice among some of the tools names them; else only these are sent, so that no other
 * can be called
 * @throws Untranslatable for tools that another vendor, or the gateway, runs
 * (docs/contribute/reasons/translation.md#tools-of-other-parties)
 */
export function* sentTools(
  context: EncodeContext,
  isOwn: (tool: VendorTool) => boolean,
  namesAllowed = false,
): Steps<readonly (FunctionTool | VendorTool)[]> {
  const sent: (FunctionTool | VendorTool)[] = [];
  const { toolChoice } = context.request;
  const allowed = namesAllowed || toolChoice === undefined ? undefined : allowedTools(context);
  for (const [index, tool] of context.request.tools.entries()) {
    if (context.steps.isOver()) yield;
    if (allowed && !matchesOneToolName(tool, allowed)) continue;
    const path = tool.path ?? `tools.${index}`;
    switch (tool.type) {
      case 'function':
        if (context.admitsTool('function', path, tool.name)) sent.push(admitted(tool, path, context));
        break;
      case 'vendor':
        if (context.admitsTool(isOwn(tool) ? 'own' : 'foreign', path, vendorToolName(tool))) sent.push(tool);
        break;
      case 'service':
        // No vendor knows it: a gateway that runs it removes it from the request.
        if (context.admitsTool('service', path, tool.id)) context.refuse(path, `the tool ${tool.id}`);
    }
  }
  return sent;
}

/**
 * `sentTools` for formats that have no part for the vendor's own tools.
 * @throws Untranslatable as `sentTools` does
 */
export function* sentFunctions(context: EncodeContext, vendor: Vendor): Steps<readonly FunctionTool[]> {
  const tools = yield* sentTools(context, ({ opaque }) => opaque.vendor === vendor);
  return tools.filter((tool) => tool.type === 'function');
}

/**
 * The names in the choice, where the table permits them.
 * @throws Untranslatable where the table refuses them
 */
function allowedTools(context: EncodeContext): ReadonlySet<string> | undefined {
  const allowed = allowedBy(context.request.toolChoice);
  return allowed && context.admitsTool('choice_allowed', 'tool_choice') ? new Set(allowed) : undefined;
}

/**
 * The choice among the tools, where the table permits it.
 * @throws Untranslatable where the table refuses it
 */
export function sentChoice(context: EncodeContext): ToolChoice | undefined {
  const { toolChoice } = context.request;
  if (toolChoice === undefined) return undefined;
  if (allowedBy(toolChoice) && !context.admitsTool('choice_allowed', 'tool_choice')) return undefined;
  return context.admitsTool(`choice_${toolChoice.type}`, 'tool_choice') ? toolChoice : undefined;
}

/** Fields of a tool have rows of their own; the tool unchanged would still contain those that they drop. */
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

/** A vendor's own tool, for the table's message. */
function vendorToolName({ name, opaque }: VendorTool): string {
  const { type } = opaque.value;
  const kind = typeof type === 'string' ? type : 'unknown';
  return name === undefined || name === kind ? kind : `${name} (${kind})`;
}
