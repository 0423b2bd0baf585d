import type { ModelRequest } from '../../core/conversation/request.js';
import { Untranslatable } from '../../core/errors.js';
import { isEmptyJson, isJsonObject, type Json, type JsonObject, type Vendor } from '../../core/json/json.js';
import type { Target } from '../../core/provider.js';
import { isPriced, searchFields } from '../../core/routing/priced-options.js';
import { shortened } from '../../core/shortened.js';

/**
 * Fields of the gateway's own API (docs/use/messages.md#request-fields, docs/use/chat.md#request-fields): no provider
 * receives them, even where the face of the request does not declare them.
 */
const GATEWAY_FIELDS: ReadonlySet<string> = new Set([
  'models', 'fallbacks', 'provider', 'plugins', 'session_id', 'user', 'trace', 'route', 'preset',
  'preset_variables', 'stop_server_tools_when',
  'max_tool_calls', 'cache_control', 'model', 'debug', 'transforms',
]); // oxfmt-ignore

/** OpenAI's field that permits or forbids storing the reply. */
const STORE = 'store';
/** The format with this field: providers of other formats may refuse it. */
const STORE_VENDOR: Vendor = 'openai';
/** Each call of this format forbids storing. */
const NEVER_STORES: Vendor = 'openai-responses';

/** A field without which the request would mean something else. */
interface Indispensable {
  /** Reason for the refusal by a provider that does not accept the field. */
  readonly lack: string;
  /** Absent: every value that is not empty. */
  readonly when?: (value: Json) => boolean;
}

const CACHED: Indispensable = { lack: 'the provider has no stored context of that name' };

/** A container without an id is a new one for the call, and `messages` mean the same without it. */
const namesContainer = (value: Json): boolean =>
  typeof value === 'string' || (isJsonObject(value) && !isEmptyJson(value['id'] ?? null));

/**
 * Fields that request something other than the next turn, or name context that `messages` do not contain: without them
 * a provider would answer a different request. In lower case. Sources, read 2026-11-29:
 * - `compaction`, `container`: `@anthropic-ai/sdk` 1.12.0, beta messages
 * - `cached_content`, `cachedContent`: langchain4j/langchain4j, issue 5288; NousResearch/hermes-agent, pull request
 *   77811
 * - `documents`: console.groq.com/docs/api-reference#chat-create
 * - `data_sources`: learn.microsoft.com/azure/ai-services/openai/references/on-your-data
 * - `extra_body`: openai/openai-agents-python, pull request 638
 */
export const PURPOSE_FIELDS: ReadonlyMap<string, Indispensable> = new Map<string, Indispensable>([
  ['compaction', { lack: 'the provider summarizes no conversations' }],
  ['cached_content', CACHED],
  ['cachedcontent', CACHED],
  ['documents', { lack: 'the provider accepts documents only in the conversation' }],
  ['data_sources', { lack: 'the provider searches no data sources; send the data in the conversation' }],
  // An option of the vendors' SDKs, whose clients put its members into the body; some servers unpack it as well.
  ['extra_body', { lack: 'the provider takes no such field; send its members at the top level' }],
  ['container', { lack: 'stored containers cannot be sent to the provider', when: namesContainer }],
]);

const NOTHING: JsonObject = {};

/** Maximum number of dropped fields that are named. */
export const DROPPED_NAMED_MAX = 100;

/**
 * The request with the undeclared fields that this target may receive, for all dialects. A field is kept only where the
 * target's format has it and the provider's definition permits it. Where data may not be kept, the field that forbids
 * storing is added (docs/use/translation.md#undeclared-fields). This is the only function that decides it.
 * @param vendor the vendor whose values the target's dialect prints
 * @throws Untranslatable where the target does not receive a field that the request cannot do without
 */
export function withPassedFields(request: ModelRequest, target: Target, vendor: Vendor): ModelRequest {
  const { extras } = request;
  const undeclared = extras?.vendor === vendor ? extras.value : NOTHING;
  const forbidsKeeping =
    target.refusesKeeping === true && vendor === STORE_VENDOR && mustForbidKeeping(undeclared, target);
  if (!extras && !forbidsKeeping) return request;
  if (extras) assertPurpose(extras.value, (field) => passesField(field, request, target, vendor));
  const passed = Object.entries(undeclared).filter(([field]) => passesField(field, request, target, vendor));
  if (forbidsKeeping) passed.push([STORE, false]);
  // `fromEntries` defines keys, so that `__proto__` stays a key; the last of several equal names counts.
  return { ...request, extras: { vendor, value: Object.fromEntries(passed) } };
}

function assertPurpose(extras: JsonObject, passes: (field: string) => boolean): void {
  for (const [field, value] of Object.entries(extras)) {
    // Some servers accept names in any case.
    const purpose = isEmptyJson(value) ? undefined : PURPOSE_FIELDS.get(field.trim().toLowerCase());
    if (purpose === undefined || purpose.when?.(value!) === false || passes(field)) continue;
    throw new Untranslatable(shortened(field), purpose.lack);
  }
}

/**
 * Names of the undeclared fields that do not reach the target as they were sent, at most `DROPPED_NAMED_MAX`. Null
 * requests nothing, so nothing is lost with it.
 */
export function droppedFields(request: ModelRequest, target: Target, vendor: Vendor): readonly string[] {
  const { extras } = request;
  if (!extras) return [];
  const names: string[] = [];
  for (const [field, value] of Object.entries(extras.value)) {
    if (value === null || passesField(field, request, target, vendor)) continue;
    if (names.push(shortened(field)) === DROPPED_NAMED_MAX) break;
  }
  return names;
}

/** Whether an undeclared field of the request reaches the target as it was sent. */
export function passesField(field: string, request: ModelRequest, target: Target, vendor: Vendor): boolean {
  const { extras } = request;
  const { quirks, undeclared } = target.definition;
  if (!extras || quirks.omit?.includes(field) === true) return false;
  const value = extras.value[field];
  if (field === STORE && value === false && vendor === NEVER_STORES) return true;
  if (extras.vendor !== vendor || GATEWAY_FIELDS.has(field)) return false;
  if (field === STORE && target.refusesKeeping === true && value !== false) return false;
  // Any provider with a price for searches takes them (docs/use/choosing-providers.md#options-that-change-the-price).
  if (searchFields(extras).includes(field)) return isPriced({ field, value: '' }, target);
  if (!undeclared) return false;
  if ('only' in undeclared) return undeclared.only.has(field);
  // Vendors distinguish upper and lower case in names of fields; some servers in front of them do not.
  const harmless = undeclared.allBut.get(field.trim().toLowerCase());
  return harmless === undefined || (harmless as readonly (Json | undefined)[]).includes(value);
}

/** Whether storing must be forbidden: the provider stores replies by default, or the caller asks it to store them. */
const mustForbidKeeping = (undeclared: JsonObject, { definition }: Target): boolean =>
  definition.quirks.storesReplies === true || (Object.hasOwn(undeclared, STORE) && takesStore(definition));

const takesStore = ({ undeclared }: Target['definition']): boolean =>
  undeclared !== undefined && ('only' in undeclared ? undeclared.only.has(STORE) : true);
