import type { Target, UpstreamCall } from '../../core/provider.js';
import { dialectOf } from '../../core/routing/catalog.js';

const COUNT = '/v1/messages/count_tokens';
const ANTHROPIC_VERSION = 'vertex-2023-10-16';
const BETA_HEADER = 'anthropic-beta';
const VERSION_HEADER = 'anthropic-version';

/**
 * Fields of Anthropic's own API alone: tiers, places and what runs on its side. Google's cloud refuses a body with a
 * field it does not know (docs.claude.com, Claude on Vertex AI, features that are not supported; read 2026-11-23).
 */
const ANTHROPIC_ALONE: ReadonlySet<string> = new Set([
  'service_tier', 'inference_geo', 'speed', 'container', 'mcp_servers', 'fallback_credit_token', 'billing_policy',
]); // prettier-ignore

/** Betas of what those fields, and tools that run on Anthropic's side, ask for; by their beginnings. */
const ANTHROPIC_ALONE_BETAS: readonly string[] = [
  'mcp-client-',
  'files-api-',
  'code-execution-',
  'skills-',
  'fast-mode-',
  'advanced-tool-use-',
  'prompt-caching-scope-',
  'message-batches-',
  'oauth-',
];

type Adapt = (call: UpstreamCall) => UpstreamCall;

/** By dialect; the bodies of others go as they are. */
const ADAPTERS: Readonly<Record<string, Adapt>> = {
  'google-gemini': (call) => ({ ...call, body: without(call.body, new Set(['model'])) }),
  'anthropic-messages': adaptMessages,
};

/** The dialect's call as Google's cloud takes it: the model in the address alone. */
export function adaptForVertex(call: UpstreamCall, { endpoint }: Target): UpstreamCall {
  const dialect = dialectOf(endpoint);
  return Object.hasOwn(ADAPTERS, dialect) ? ADAPTERS[dialect]!(call) : call;
}

/** A count names the model in its body; its address is one for all. */
function adaptMessages(call: UpstreamCall): UpstreamCall {
  const left = call.path === COUNT ? ANTHROPIC_ALONE : new Set([...ANTHROPIC_ALONE, 'model']);
  const { [BETA_HEADER]: betas, [VERSION_HEADER]: _version, ...headers } = call.headers;
  const known = betas
    ?.split(',')
    .map((beta) => beta.trim())
    .filter((beta) => beta !== '' && !ANTHROPIC_ALONE_BETAS.some((start) => beta.startsWith(start)));
  return {
    ...call,
    headers: { ...headers, ...(known && known.length > 0 && { [BETA_HEADER]: known.join(',') }) },
    body: { anthropic_version: ANTHROPIC_VERSION, ...without(call.body, left) },
  };
}

const without = (body: object, fields: ReadonlySet<string>): object =>
  Object.fromEntries(Object.entries(body).filter(([field]) => !fields.has(field)));
