import type { PlatformId } from '../../../core/routing/catalog.js';

/** Position of a field: on a tool, on a block of a turn, or in a cache marker of either. */
export type BetaLocation = 'tools' | 'tool_use' | 'cache_control';

/** A platform's treatment of a field that was once a beta. */
export type BetaRule =
  /** The platform accepts the field without a beta. */
  | 'taken'
  /** The platform refuses the field, whatever betas are named. */
  | 'refused'
  /** The platform accepts the field together with this beta. With `inPlace` it accepts only the beta. */
  | { readonly beta: string; readonly inPlace?: true };

export interface BetaField {
  readonly location: BetaLocation;
  readonly field: string;
  readonly at: Readonly<Record<PlatformId, BetaRule>>;
}

const TOOL_USE: BetaRule = { beta: 'advanced-tool-use-2025-11-20' };
const CACHE_SCOPE: BetaRule = { beta: 'prompt-caching-scope-2026-01-05' };
const FINE_GRAINED: BetaRule = { beta: 'fine-grained-tool-streaming-2025-05-14', inPlace: true };

/**
 * Fields of tools, blocks and markers that one of the vendor's betas introduced, and how each platform treats them.
 * `FIELD_BETAS` has the fields at the top level of a body. Sources, read 2026-11-29:
 * - fields of tools and calls need no beta at the vendor's own address: types `Tool` and `ToolUseBlockParam` of
 *   `@anthropic-ai/sdk` 1.12.0; `@ai-sdk/anthropic` 3.0.138 still sends one with `input_examples` and `allowed_callers`
 * - `scope`: github.com/maximhq/bifrost/pull/1558; BerriAI/litellm, anthropic_beta_headers_config.json
 * - `caller` at Vertex: github.com/langchain-ai/langchain-google/pull/1446
 * - `eager_input_streaming` at Bedrock, which refuses the field and accepts the beta: github.com/vercel/ai/pull/17179,
 *   github.com/anthropics/claude-code/issues/32820; the same beta at Vertex: langchain-google/pull/1446
 * - `defer_loading` and `input_examples`: the tables of platforms in platform.claude.com/docs, tool-search-tool and
 *   implement-tool-use. At Bedrock and Vertex only one model accepts examples. Bedrock never defers definitions
 *   (`platforms/bedrock/invoke-body.ts`)
 */
export const BETA_FIELDS: readonly BetaField[] = [
  {
    location: 'cache_control',
    field: 'scope',
    at: { direct: CACHE_SCOPE, azure: CACHE_SCOPE, vertex: 'refused', bedrock: 'refused' },
  },
  {
    location: 'tool_use',
    field: 'caller',
    at: { direct: 'taken', azure: 'taken', vertex: 'refused', bedrock: 'refused' },
  },
  {
    location: 'tools',
    field: 'eager_input_streaming',
    at: { direct: 'taken', azure: 'taken', vertex: FINE_GRAINED, bedrock: FINE_GRAINED },
  },
  {
    location: 'tools',
    field: 'defer_loading',
    at: { direct: 'taken', azure: TOOL_USE, vertex: { beta: 'tool-search-tool-2025-10-19' }, bedrock: 'refused' },
  },
  {
    location: 'tools',
    field: 'allowed_callers',
    at: { direct: TOOL_USE, azure: TOOL_USE, vertex: 'refused', bedrock: 'refused' },
  },
  {
    location: 'tools',
    field: 'input_examples',
    at: { direct: TOOL_USE, azure: TOOL_USE, vertex: 'refused', bedrock: 'refused' },
  },
];
