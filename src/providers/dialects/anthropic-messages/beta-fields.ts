import type { PlatformId } from '../../../core/routing/catalog.js';

/** Where a field occurs: on a tool, on a block of a turn, or in a cache marker of either. */
export type BetaPlace = 'tools' | 'tool_use' | 'cache_control';

/** What a platform does with a field that was once a beta. */
export type BetaRule =
  /** It takes the field without a beta. */
  | 'taken'
  /** It refuses the field, whatever betas are named. */
  | 'refused'
  /** It takes the field together with this beta. With `inPlace` it takes only the beta. */
  | { readonly beta: string; readonly inPlace?: true };

export interface BetaField {
  readonly place: BetaPlace;
  readonly field: string;
  readonly at: Readonly<Record<PlatformId, BetaRule>>;
}

const TOOL_USE: BetaRule = { beta: 'advanced-tool-use-2025-11-20' };
const CACHE_SCOPE: BetaRule = { beta: 'prompt-caching-scope-2026-01-05' };
const FINE_GRAINED: BetaRule = { beta: 'fine-grained-tool-streaming-2025-05-14', inPlace: true };

/**
 * Fields within tools, blocks and markers that one of the vendor's betas introduced, by the platforms of its models.
 * `FIELD_BETAS` has the fields at the top of a body. Sources, read 2026-11-29:
 * - the vendor's own address takes those of tools and calls without a beta: types `Tool` and `ToolUseBlockParam` of
 * @anthropic-ai/sdk 1.12.0; @ai-sdk/anthropic 3.0.138 still names one with `input_examples` and `allowed_callers`
 * - `scope`: github.com/maximhq/bifrost/pull/1558; BerriAI/litellm, anthropic_beta_headers_config.json
 * - `caller` at Vertex: github.com/langchain-ai/langchain-google/pull/1446
 * - `eager_input_streaming` at Bedrock, which refuses the field and takes the beta: github.com/vercel/ai/pull/17179,
 *   github.com/anthropics/claude-code/issues/32820; the same beta at Vertex: langchain-google/pull/1446
 * - `defer_loading` and `input_examples`: the tables of platforms in platform.claude.com/docs, tool-search-tool and
 *   implement-tool-use; at Bedrock and Vertex examples are for one model alone. Bedrock never defers definitions
 *   (`platforms/bedrock/invoke-body.ts`)
 */
export const BETA_FIELDS: readonly BetaField[] = [
  {
    place: 'cache_control',
    field: 'scope',
    at: { direct: CACHE_SCOPE, azure: CACHE_SCOPE, vertex: 'refused', bedrock: 'refused' },
  },
  {
    place: 'tool_use',
    field: 'caller',
    at: { direct: 'taken', azure: 'taken', vertex: 'refused', bedrock: 'refused' },
  },
  {
    place: 'tools',
    field: 'eager_input_streaming',
    at: { direct: 'taken', azure: 'taken', vertex: FINE_GRAINED, bedrock: FINE_GRAINED },
  },
  {
    place: 'tools',
    field: 'defer_loading',
    at: { direct: 'taken', azure: TOOL_USE, vertex: { beta: 'tool-search-tool-2025-10-19' }, bedrock: 'refused' },
  },
  {
    place: 'tools',
    field: 'allowed_callers',
    at: { direct: TOOL_USE, azure: TOOL_USE, vertex: 'refused', bedrock: 'refused' },
  },
  {
    place: 'tools',
    field: 'input_examples',
    at: { direct: TOOL_USE, azure: TOOL_USE, vertex: 'refused', bedrock: 'refused' },
  },
];
