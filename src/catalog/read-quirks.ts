import { EFFORTS } from '../core/conversation/effort.js';
import { definedOnly } from '../core/defined.js';
import {
  GEMINI_GENERATIONS,
  MAX_TOKENS_FIELDS,
  REASONING_STYLES,
  RERANK_STYLES,
  SYSTEM_ROLES,
  VENDOR_TOOLS,
  type Quirks,
} from '../core/quirks.js';
import type { Field } from './field.js';

/** The name of a quirk in the file, and how its value is read. */
interface QuirkReader<Value> {
  readonly key: string;
  readonly read: (field: Field) => Value | undefined;
}

const FIELD_NAME = /^[a-z][a-z0-9_]*$/;
/** Fields that every call needs. */
const NEVER_OMITTED: ReadonlySet<string> = new Set(['model', 'messages']);
/** Leaves space for the part of the hash that keeps mapped names and ids distinct. */
const MAPPED_LENGTH_MIN = 9;

const ALL_TOOLS = 'all';

/** All quirks: a new one does not compile until it can be read. */
const READERS: { readonly [Name in keyof Quirks]-?: QuirkReader<NonNullable<Quirks[Name]>> } = {
  maxTokensField: { key: 'max_tokens_field', read: (field) => field.oneOf(MAX_TOKENS_FIELDS) },
  systemRole: { key: 'system_role', read: (field) => field.oneOf(SYSTEM_ROLES) },
  reasoningStyle: { key: 'reasoning_style', read: (field) => field.oneOf(REASONING_STYLES) },
  rerank: { key: 'rerank', read: (field) => field.oneOf(RERANK_STYLES) },
  efforts: { key: 'efforts', read: readEfforts },
  countsReasoningApart: { key: 'counts_reasoning_apart', read: (field) => field.flag() },
  returnsReasoning: { key: 'returns_reasoning', read: (field) => field.flag() },
  returnsReasoningDetails: { key: 'returns_reasoning_details', read: (field) => field.flag() },
  serviceTiers: { key: 'service_tiers', read: (field) => field.flag() },
  repeatsMessages: { key: 'repeats_messages', read: (field) => field.flag() },
  storesReplies: { key: 'stores_replies', read: (field) => field.flag() },
  omit: { key: 'omit', read: readOmitted },
  acceptsFiles: { key: 'accepts_files', read: (field) => field.flag() },
  acceptsCacheMarkers: { key: 'accepts_cache_markers', read: (field) => field.flag() },
  toolNameMax: { key: 'tool_name_max', read: readLength },
  toolCallIdMax: { key: 'tool_call_id_max', read: readLength },
  toolCallIdLength: { key: 'tool_call_id_length', read: readLength },
  vendorTools: { key: 'vendor_tools', read: readVendorTools },
  namesAllowedTools: { key: 'names_allowed_tools', read: (field) => field.flag() },
  checksStrictSchemas: { key: 'checks_strict_schemas', read: (field) => field.flag() },
  geminiGeneration: { key: 'gemini_generation', read: (field) => field.oneOf(GEMINI_GENERATIONS) },
};

/** Names of the quirks in the file, in the order of the code. */
export const QUIRK_KEYS: readonly string[] = Object.values(READERS).map(({ key }) => key);

/** The quirks of a provider in the file. Undefined: at least one fault was recorded. */
export function readQuirks(field: Field): Quirks | undefined {
  const members = field.members([], QUIRK_KEYS);
  if (!members) return undefined;
  const read = Object.entries(READERS).map(([name, reader]) => {
    const member = members.get(reader.key);
    return [name, member && reader.read(member)] as const;
  });
  return definedOnly(Object.fromEntries(read));
}

function readEfforts(field: Field): Quirks['efforts'] {
  const items = field.items();
  if (items.length === 0) return field.refuse('must name at least one effort');
  return items.flatMap((item) => item.oneOf(EFFORTS) ?? []);
}

function readOmitted(field: Field): Quirks['omit'] {
  return field.items().flatMap((item) => {
    const name = item.matching(FIELD_NAME, 'the name of a request field');
    if (name !== undefined && NEVER_OMITTED.has(name)) item.refuse('cannot be left out of a call');
    return name ?? [];
  });
}

function readVendorTools(field: Field): Quirks['vendorTools'] {
  if (field.is(ALL_TOOLS)) return ALL_TOOLS;
  return field.items().flatMap((item) => item.oneOf(VENDOR_TOOLS) ?? []);
}

function readLength(field: Field): number | undefined {
  const length = field.positiveInteger();
  if (length !== undefined && length < MAPPED_LENGTH_MIN) return field.refuse(`must be at least ${MAPPED_LENGTH_MIN}`);
  return length;
}
