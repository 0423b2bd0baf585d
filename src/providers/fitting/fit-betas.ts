import type { ContentBlock, Message, ToolReferenceBlock } from '../../core/conversation/content.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import type { Tool } from '../../core/conversation/tools.js';
import { traitsOf } from '../../core/conversation/traits.js';
import { isJsonObject, type Json, type JsonObject } from '../../core/json/json.js';
import type { Target } from '../../core/provider.js';
import { dialectOf } from '../../core/routing/catalog.js';
import {
  BETA_FIELDS,
  type BetaField,
  type BetaLocation,
  type BetaRule,
} from '../dialects/anthropic-messages/beta-fields.js';

/** The vendor whose values have such fields. */
const VENDOR = 'anthropic';

/** Fields of a request that one of the vendor's betas introduced. */
interface FoundFields {
  /** Fields with a value that requests something. */
  readonly requested: ReadonlySet<BetaField>;
  /** Fields with any value. */
  readonly present: ReadonlySet<BetaField>;
}

const NONE: FoundFields = { requested: new Set(), present: new Set() };

/** Fields of a tool's wire object. */
export const TOOL_FIELDS: readonly string[] = BETA_FIELDS.filter(({ location }) => location === 'tools').map(
  ({ field }) => field,
);

/**
 * A request with the beta fields that the target's platform takes. A refused field is removed with its beta; a field
 * that needs a beta there gets it. Values in the vendor's form are rewritten only where they contain a removed field.
 * Returns the same object where there is nothing to change.
 */
export function withTakenBetas(request: ModelRequest, target: Target): ModelRequest {
  const { requested, present } = betaFieldsOf(request);
  if (present.size === 0) return request;
  const gone = new Set([...present].filter((field) => isGone(ruleAt(target, field), requested.has(field))));
  const named = new Set(request.betas.map(nameOf));
  const brought = [...requested].flatMap((field) => betaOf(ruleAt(target, field)) ?? []);
  const missing = [...new Set(brought)].filter((beta) => !named.has(nameOf(beta)));
  const fitted = gone.size === 0 ? request : withoutFields(request, gone);
  return missing.length === 0 ? fitted : { ...fitted, betas: [...request.betas, ...missing] };
}

/** Names of the beta fields that do not reach the target in any form. */
export function droppedBetaFields(request: ModelRequest, target: Target): readonly string[] {
  const isClaudes = dialectOf(target.endpoint) === 'anthropic-messages';
  return [...betaFieldsOf(request).requested]
    .filter((field) => !isClaudes || ruleAt(target, field) === 'refused')
    .map(({ location, field }) => `${location}.${field}`);
}

const ruleAt = ({ endpoint }: Target, { at }: BetaField): BetaRule => at[endpoint.provider.platform ?? 'direct'];

/** A field that requests nothing adds no beta. Where the platform needs one, the field would be sent without it. */
const isGone = (rule: BetaRule, isRequested: boolean): boolean =>
  rule === 'refused' || (rule !== 'taken' && (!isRequested || rule.inPlace === true));

const betaOf = (rule: BetaRule): string | undefined => (typeof rule === 'string' ? undefined : rule.beta);

/** The beta's name without its date: another date is another form of the same beta. */
const nameOf = (beta: string): string => beta.replace(/-\d{4}-\d{2}-\d{2}$/, '');

/** Cache by a request's lists, which never change. */
const known = new WeakMap<readonly unknown[], FoundFields>();

function betaFieldsOf({ messages, system, tools, cacheMarker: marker }: ModelRequest): FoundFields {
  const found: FoundFields[] = [];
  if (traitsOf(messages).hasBetaFields) found.push(foundIn(messages, ({ content }) => content.map(visibleOf)));
  if (tools.length > 0) found.push(foundIn(tools, (tool) => [visibleOf(tool)]));
  if (system.some(({ cacheMarker }) => cacheMarker?.scope !== undefined))
    found.push(foundIn(system, (block) => [visibleOf(block)]));
  if (marker?.scope !== undefined) {
    const present = new Set(OF_MARKERS);
    found.push({ present, requested: hasEffect(marker.scope) ? present : NONE.requested });
  }
  const some = found.filter(({ present }) => present.size > 0);
  if (some.length <= 1) return some[0] ?? NONE;
  return {
    requested: new Set(some.flatMap(({ requested }) => [...requested])),
    present: new Set(some.flatMap(({ present }) => [...present])),
  };
}

function foundIn<Item>(
  list: readonly Item[],
  valuesOf: (item: Item) => readonly (JsonObject | undefined)[],
): FoundFields {
  let found = known.get(list);
  if (found === undefined) {
    const requested = new Set<BetaField>();
    const present = new Set<BetaField>();
    const note = (value: JsonObject, row: BetaField): void => {
      present.add(row);
      if (hasEffect(value[row.field])) requested.add(row);
    };
    for (const item of list) for (const value of valuesOf(item)) if (value !== undefined) visit(value, note);
    found = present.size === 0 ? NONE : { requested, present };
    known.set(list, found);
  }
  return found;
}

const hasEffect = (value: Json | undefined): boolean =>
  value !== null && value !== false && !(Array.isArray(value) && value.length === 0);

/** The wire object of a block or a tool, if a dialect of this vendor prints it. */
function valueOf(item: ContentBlock | ToolReferenceBlock | Tool): JsonObject | undefined {
  if ('opaque' in item) return item.opaque.vendor === VENDOR ? item.opaque.value : undefined;
  return 'origin' in item && item.origin?.vendor === VENDOR ? item.origin.value : undefined;
}

type Item = ContentBlock | ToolReferenceBlock | Tool;

/**
 * The wire object. For an item without one, an object with its cache marker and those inside it, as a dialect would
 * print them.
 */
function visibleOf(item: Item): JsonObject | undefined {
  const value = valueOf(item);
  if (value !== undefined) return value;
  const scope = item.cacheMarker?.scope;
  const content = partsOf(item)?.map((part) => visibleOf(part) ?? null);
  if (scope === undefined && content === undefined) return undefined;
  return { ...(scope !== undefined && { cache_control: { scope } }), ...(content && { content }) };
}

const partsOf = (item: Item): readonly (ContentBlock | ToolReferenceBlock)[] | undefined =>
  item.type === 'tool-result' || item.type === 'search-result' ? item.content : undefined;

/** The item without scopes; the same object where no marker has one. */
function unscoped<Whole extends Item>(item: Whole): Whole {
  const content = partsOf(item);
  const kept = content?.map((part) => unscoped(part));
  const isSame = kept === undefined || kept.every((part, index) => part === content![index]);
  const inner = isSame ? item : { ...item, content: kept };
  if (item.cacheMarker?.scope === undefined) return inner;
  const { scope: _gone, ...cacheMarker } = item.cacheMarker;
  return { ...inner, cacheMarker };
}

const rowsAt = (location: BetaLocation): readonly BetaField[] => BETA_FIELDS.filter((row) => row.location === location);
const NO_ROWS: readonly BetaField[] = [];
const OF_TOOLS = rowsAt('tools');
const OF_BLOCKS = rowsAt('tool_use');
const OF_MARKERS = rowsAt('cache_control');

/** Only the caller's own tools have a schema; in other tools every key is part of the vendor's definition. */
function rowsOf(value: JsonObject): readonly BetaField[] {
  if (value['input_schema'] !== undefined) return OF_TOOLS;
  return value['caller'] === undefined ? NO_ROWS : OF_BLOCKS;
}

/** Visits each field of the table in a tool or a block, and in the blocks within. */
function visit(value: JsonObject, show: (holder: JsonObject, row: BetaField) => void): void {
  for (const row of rowsOf(value)) if (value[row.field] !== undefined) show(value, row);
  const { cache_control: marker, source } = value;
  if (isJsonObject(marker)) for (const row of OF_MARKERS) if (marker[row.field] !== undefined) show(marker, row);
  for (const inner of blocksIn(value)) visit(inner, show);
  if (isJsonObject(source)) for (const inner of blocksIn(source)) visit(inner, show);
}

const blocksIn = ({ content }: JsonObject): readonly JsonObject[] =>
  Array.isArray(content) ? (content as readonly Json[]).filter(isJsonObject) : [];

function withoutFields(request: ModelRequest, gone: ReadonlySet<BetaField>): ModelRequest {
  const { scope, ...unscopedMarker } = request.cacheMarker ?? {};
  return {
    ...request,
    ...(scope !== undefined && isScopeGone(gone) && { cacheMarker: unscopedMarker }),
    system: request.system.map((text) => mended(text, gone)),
    tools: request.tools.map((tool) => mended(tool, gone)),
    messages: request.messages.map((message) => mendedTurn(message, gone)),
  };
}

/** A turn that is sent unchanged loses the fields as well. */
function mendedTurn(message: Message, gone: ReadonlySet<BetaField>): Message {
  const content = message.content.map((block) => mended(block, gone));
  if (content.every((block, index) => block === message.content[index])) return message;
  const { origin, ...rest } = message;
  if (origin?.vendor !== VENDOR) return { ...message, content };
  const value = { ...origin.value, content: content.map((block) => valueOf(block) ?? {}) };
  return { ...rest, content, origin: { vendor: VENDOR, value } };
}

const isScopeGone = (gone: ReadonlySet<BetaField>): boolean => OF_MARKERS.some((row) => gone.has(row));

function mended<Whole extends ContentBlock | Tool>(whole: Whole, gone: ReadonlySet<BetaField>): Whole {
  const item = isScopeGone(gone) ? unscoped(whole) : whole;
  const value = valueOf(item);
  const kept = value && without(value, gone);
  if (kept === value) return item;
  const origin = { vendor: VENDOR, value: kept } as const;
  return 'opaque' in item ? { ...item, opaque: origin, ...('origin' in item && { origin }) } : { ...item, origin };
}

/** The value without the fields; the same object where it has none. */
function without(value: JsonObject, gone: ReadonlySet<BetaField>): JsonObject {
  let kept = leftOf(value, rowsOf(value), gone);
  const { cache_control: marker, source } = value;
  if (isJsonObject(marker)) kept = changed(kept, 'cache_control', leftOf(marker, OF_MARKERS, gone));
  kept = changed(kept, 'content', withoutInside(value, gone));
  if (!isJsonObject(source)) return kept;
  return changed(kept, 'source', changed(source, 'content', withoutInside(source, gone)));
}

function leftOf(value: JsonObject, rows: readonly BetaField[], gone: ReadonlySet<BetaField>): JsonObject {
  const fields = rows.flatMap((row) => (gone.has(row) && value[row.field] !== undefined ? [row.field] : []));
  if (fields.length === 0) return value;
  return Object.fromEntries(Object.entries(value).filter(([field]) => !fields.includes(field)));
}

function withoutInside({ content }: JsonObject, gone: ReadonlySet<BetaField>): Json | undefined {
  if (!Array.isArray(content)) return content;
  const all = content as readonly Json[];
  const kept = all.map((inner) => (isJsonObject(inner) ? without(inner, gone) : inner));
  return kept.every((inner, index) => inner === all[index]) ? all : kept;
}

const changed = (value: JsonObject, field: string, member: Json | undefined): JsonObject =>
  member === undefined || member === value[field] ? value : { ...value, [field]: member };
