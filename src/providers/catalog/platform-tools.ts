import type { ProviderDefinition } from '../../core/provider.js';
import type { VendorToolName } from '../../core/quirks.js';
import type { PlatformId } from '../../core/routing/catalog.js';

/** Tools that the vendor defines for its models and the caller runs. */
const CALLERS_TOOLS = ['bash', 'computer', 'memory', 'text_editor'] as const;
const TOOL_SEARCHES = ['tool_search_tool_bm25', 'tool_search_tool_regex'] as const;

/**
 * Anthropic's tools on each platform, by the vendor's table of availability
 * (platform.claude.com/docs/en/build-with-claude/overview, "Tools" and "Tool infrastructure", read 2026-11-25).
 */
const PLATFORM_TOOLS: Readonly<Partial<Record<PlatformId, readonly VendorToolName[]>>> = {
  // Only deployments hosted by Anthropic run code, and no name identifies them (note to the table).
  azure: [...CALLERS_TOOLS, 'computer_toolset', ...TOOL_SEARCHES, 'mcp_toolset', 'web_fetch'],
  // Tool search needs a beta that the page of `InvokeModel` does not name (`platforms/bedrock/invoke-body.ts`).
  bedrock: CALLERS_TOOLS,
  vertex: [...CALLERS_TOOLS, 'browser_toolset', 'computer_toolset', ...TOOL_SEARCHES],
};

/** A definition with the tools of its platform, where it does not list its own. */
export function withPlatformTools(definition: ProviderDefinition, platform: PlatformId): ProviderDefinition {
  const vendorTools = PLATFORM_TOOLS[platform];
  if (!vendorTools || definition.quirks.vendorTools) return definition;
  return { ...definition, quirks: { ...definition.quirks, vendorTools } };
}
