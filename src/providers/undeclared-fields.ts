import type { ModelRequest } from '../core/conversation/request.js';
import type { Json, JsonObject, Vendor } from '../core/json/json.js';
import type { Target } from '../core/provider.js';
import { isPriced, searchFields } from '../core/routing/priced-words.js';
import { shortened } from '../core/shortened.js';

/**
 * Fields of the gateway's own API (docs/wire/messages.md#request-fields, docs/wire/chat.md#request-fields): no upstream
 * is shown them, even where the face they came through does not declare them.
 */
const GATEWAY_FIELDS: ReadonlySet<string> = new Set([
  'models', 'fallbacks', 'provider', 'plugins', 'session_id', 'user', 'trace', 'route', 'preset', 'stop_server_tools_when',
  'max_tool_calls', 'cache_control', 'model', 'debug', 'transforms',
]); // oxfmt-ignore

/** By which OpenAI is told whether it may keep what it answers. */
const STORE = 'store';
/** In whose format there is such a word: another's may refuse it. */
const STORE_VENDOR: Vendor = 'openai';

const NOTHING: JsonObject = {};

/** Most dropped fields that are named. */
export const DROPPED_NAMED_MAX = 100;

/**
 * The request as this target may see it: of the fields that no face declares only those that the target's format has a
 * place for and what is known of its provider lets pass; and, where data may not be kept, the word that forbids it
 * (docs/translation.md#fields-nobody-declared). The one place where this is decided, whatever the dialect.
 * @param vendor whose values the target's dialect prints
 */
export function withPassedFields(request: ModelRequest, target: Target, vendor: Vendor): ModelRequest {
  const { extras } = request;
  const given = extras?.vendor === vendor ? extras.value : NOTHING;
  const forbidsKeeping = target.refusesKeeping === true && vendor === STORE_VENDOR && mustForbidKeeping(given, target);
  if (!extras && !forbidsKeeping) return request;
  const passed = Object.entries(given).filter(([field]) => passesField(field, request, target, vendor));
  if (forbidsKeeping) passed.push([STORE, false]);
  // `fromEntries` defines keys, so that one named `__proto__` stays a key; of two of a name the last one counts.
  return { ...request, extras: { vendor, value: Object.fromEntries(passed) } };
}

/**
 * Which of the fields that no face declares do not reach the target as they were sent, by name, at most
 * `DROPPED_NAMED_MAX` of them. What is null asks for nothing, so nothing is lost with it.
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

/** Whether a field of the request that no face declares reaches the target as it was sent. */
export function passesField(field: string, request: ModelRequest, target: Target, vendor: Vendor): boolean {
  const { extras } = request;
  if (extras?.vendor !== vendor || GATEWAY_FIELDS.has(field)) return false;
  const { quirks, undeclared } = target.definition;
  if (quirks.omit?.includes(field) === true) return false;
  const value = extras.value[field];
  if (field === STORE && target.refusesKeeping === true && value !== false) return false;
  // The catalog says who sells searches, whoever it is (docs/wire/routing.md#words-with-a-price).
  if (searchFields(extras).includes(field)) return isPriced({ field, value: '' }, target);
  if (!undeclared) return false;
  if ('only' in undeclared) return undeclared.only.has(field);
  // Names of another case are other names to the vendors, and the same to who is careless in front of them.
  const harmless = undeclared.allBut.get(field.trim().toLowerCase());
  return harmless === undefined || (harmless as readonly (Json | undefined)[]).includes(value);
}

/** Who keeps what he answers unless he is told, and whoever the caller tells to keep it. */
const mustForbidKeeping = (given: JsonObject, { definition }: Target): boolean =>
  definition.quirks.storesReplies === true || (Object.hasOwn(given, STORE) && takesStore(definition));

const takesStore = ({ undeclared }: Target['definition']): boolean =>
  undeclared !== undefined && ('only' in undeclared ? undeclared.only.has(STORE) : true);
