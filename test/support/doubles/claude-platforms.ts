import type { JsonBody } from '../recorded-request.js';
import type { Refusal, WireCall } from './double.js';

// What the platforms of Claude refuse that the vendor's own address takes, in the words of the same API: each answers a
// field that it does not know as an extra input. Threads were read on 2026-11-29.

export const PLATFORM_RULES = ['a field that a cloud does not know', 'a beta that a cloud does not know'] as const;
const broken = (rule: (typeof PLATFORM_RULES)[number], message: string): Refusal => ({ rule, message });

/** Fields of a tool of the caller's own: vercel/ai#17179 (with its beta as well), anthropics/claude-code#32820. */
const TOOL_FIELDS = ['eager_input_streaming', 'defer_loading', 'allowed_callers', 'input_examples'] as const;
/** Betas that have other names on Vertex: platform.claude.com/docs, the tool search tool. */
const VERTEX_BETAS: Readonly<Record<string, string>> = { defer_loading: 'tool-search-tool-2025-10-19' };

/** Bedrock answers any other with "invalid beta flag": BerriAI/litellm, anthropic_beta_headers_config.json. */
const BEDROCK_BETAS = [
  'compact-2026-01-12',
  'computer-use-2025-01-24',
  'computer-use-2025-11-24',
  'context-1m-2025-08-07',
  'context-management-2025-06-27',
  'dev-full-thinking-2025-05-14',
  'effort-2025-11-24',
  'fine-grained-tool-streaming-2025-05-14',
  'interleaved-thinking-2025-05-14',
  'mid-conversation-output-config-2026-07-01',
  'output-128k-2025-02-19',
  'thinking-binding-controls-2026-08-01',
  'thinking-display-updates-2026-08-18',
  'token-efficient-tools-2025-02-19',
  'tool-search-tool-2025-10-19',
];

interface Placed {
  readonly at: string;
  readonly block: JsonBody;
}

/** @param blocks every block that may bear a marker, tools and instructions among them */
export function platformFault({ body, platform, headers }: WireCall, blocks: readonly Placed[]): Refusal | undefined {
  if (platform !== 'bedrock' && platform !== 'vertex') return undefined;
  const unknown = (body.anthropic_beta ?? []).find((beta: string) => !BEDROCK_BETAS.includes(beta));
  if (platform === 'bedrock' && unknown) return broken('a beta that a cloud does not know', 'invalid beta flag');
  const named = String(headers['anthropic-beta'] ?? '').split(',');
  const isKnown = (field: string): boolean => platform === 'vertex' && named.includes(VERTEX_BETAS[field] ?? 'none');
  for (const { at, block } of blocks) {
    // maximhq/bifrost#1558
    if (block.cache_control?.scope !== undefined) return extra(`${at}.cache_control.ephemeral.scope`);
    // langchain-ai/langchain-google#1446
    if (block.type === 'tool_use' && block.caller !== undefined) return extra(`${at}.tool_use.caller`);
    if (block.input_schema === undefined) continue;
    const field = TOOL_FIELDS.find((one) => block[one] !== undefined && !isKnown(one));
    if (field) return extra(`${at}.custom.${field}`);
  }
  return undefined;
}

const extra = (at: string): Refusal =>
  broken('a field that a cloud does not know', `${at}: Extra inputs are not permitted`);
