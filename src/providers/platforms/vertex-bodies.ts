import { definedOnly } from '../../core/defined.js';
import { isJsonObject, type JsonObject } from '../../core/json/json.js';
import type { Target, UpstreamCall } from '../../core/provider.js';
import { dialectOf, type DialectId } from '../../core/routing/catalog.js';
import type { RequestField } from '../../core/translation.js';
import { COUNT_PATH } from '../dialects/anthropic-messages/count.js';

const ANTHROPIC_VERSION = 'vertex-2023-10-16';
const BETA_HEADER = 'anthropic-beta';
const VERSION_HEADER = 'anthropic-version';

/**
 * Fields that only Anthropic's own API takes: tiers, regions and what runs on its side. Google's cloud refuses a body
 * with an unknown field (docs.claude.com, Claude on Vertex AI, features that are not supported; read 2026-11-23).
 */
const ANTHROPIC_ALONE: ReadonlySet<string> = new Set([
  'service_tier', 'inference_geo', 'speed', 'container', 'mcp_servers', 'fallback_credit_token', 'billing_policy',
]); // oxfmt-ignore

/** The fields of a request that become fields of `ANTHROPIC_ALONE`. */
const NOT_TAKEN: ReadonlySet<RequestField> = new Set<RequestField>(['service_tier', 'inference_geo']);

/** Betas for those fields and for tools that run on Anthropic's side, by the beginnings of their names. */
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

/** Whether a field that the dialect prints is left out. */
export const leavesOut = (field: RequestField, { endpoint }: Target): boolean =>
  dialectOf(endpoint) === 'anthropic-messages' && NOT_TAKEN.has(field);

/** Whether a beta that a caller names is sent. */
export const takesBeta = (beta: string): boolean => !ANTHROPIC_ALONE_BETAS.some((start) => beta.startsWith(start));

type Adapt = (call: UpstreamCall) => UpstreamCall;

/** Adapters by dialect; the bodies of other dialects are sent unchanged. */
const ADAPTERS: Readonly<Partial<Record<DialectId, Adapt>>> = {
  'google-gemini': adaptGemini,
  'anthropic-messages': adaptMessages,
};

/** The dialect's call in the form of Google's cloud: only the address names the model. */
export function adaptForVertex(call: UpstreamCall, { endpoint }: Target): UpstreamCall {
  return ADAPTERS[dialectOf(endpoint)]?.(call) ?? call;
}

/**
 * Calls have no ids in the version of Google's API that is used here, and a body with one is refused (messages
 * `FunctionCall` and `FunctionResponse` of v1/tool.proto in @google-cloud/aiplatform 7.4.0; vercel/ai, issue 15664;
 * read 2026-11-24). Results follow the order of their calls.
 */
function adaptGemini(call: UpstreamCall): UpstreamCall {
  const { contents, ...body } = geminiBody(call) as { readonly contents?: readonly GeminiTurn[] };
  return {
    ...call,
    body: {
      ...body,
      ...(contents && { contents: contents.map((turn) => ({ ...turn, parts: turn.parts.map(withoutCallId) })) }),
    },
  };
}

/**
 * A count takes the countable parts of a request, not the request itself
 * (cloud.google.com/vertex-ai/generative-ai/docs/reference/express-mode/rest/v1/publishers.models/countTokens; read
 * 2026-11-24).
 */
function geminiBody({ path, body }: UpstreamCall): object {
  if (!path.endsWith(':countTokens')) return without(body, new Set(['model']));
  const { contents, tools, systemInstruction, generationConfig } = (body as GeminiCount).generateContentRequest;
  return definedOnly({ contents, tools, systemInstruction, generationConfig });
}

interface GeminiCount {
  readonly generateContentRequest: JsonObject;
}

interface GeminiTurn {
  readonly parts: readonly JsonObject[];
}

function withoutCallId(part: JsonObject): JsonObject {
  for (const key of ['functionCall', 'functionResponse']) {
    const named = part[key];
    if (!isJsonObject(named)) continue;
    const { id: _id, ...rest } = named;
    return { ...part, [key]: rest };
  }
  return part;
}

/** A count names the model in its body; its address is the same for all models. */
function adaptMessages(call: UpstreamCall): UpstreamCall {
  const left = call.path === COUNT_PATH ? ANTHROPIC_ALONE : new Set([...ANTHROPIC_ALONE, 'model']);
  const { [BETA_HEADER]: betas, [VERSION_HEADER]: _version, ...headers } = call.headers;
  const known = betas
    ?.split(',')
    .map((beta) => beta.trim())
    .filter((beta) => beta !== '' && takesBeta(beta));
  return {
    ...call,
    headers: { ...headers, ...(known && known.length > 0 && { [BETA_HEADER]: known.join(',') }) },
    body: { anthropic_version: ANTHROPIC_VERSION, ...without(call.body, left) },
  };
}

const without = (body: object, fields: ReadonlySet<string>): object =>
  Object.fromEntries(Object.entries(body).filter(([field]) => !fields.has(field)));
