import type { MediaSource } from '../../core/conversation/content.js';
import type { BlockStart, StopReason } from '../../core/conversation/event.js';
import type { Reply, ReplyBlock } from '../../core/conversation/reply.js';
import { readToolInput } from '../../core/conversation/tool-input.js';
import type { TokenFigures, Usage, UsageIteration } from '../../core/conversation/usage.js';
import { viewCitation } from '../../core/conversation/web-citation.js';
import { isJsonObject, type Json, type JsonObject, type Opaque } from '../../core/json/json.js';
import type { Steps } from '../../core/steps.js';
import { usdNumber } from '../../core/money/credits.js';
import { viewParsedFile } from '../../core/conversation/parsed-file.js';
import type { GenerationView } from '../common/face.js';
import { MESSAGES_STOP_REASONS } from '../../inference/stop-reason-names.js';
import { chargedService, viewCostDetails, type Billing } from '../common/view-cost.js';
import { printToken } from './reasoning-token.js';
import type { MessageReply } from './schemas/reply.js';

const NO_EXTRAS: JsonObject = {};

/** The reason of a refusal by a vendor of another format is not sent. */
const UNEXPLAINED_REFUSAL: JsonObject = { type: 'refusal', category: null, explanation: null };

/** Blocks of one step: each takes some microseconds at most. */
const STEP_BLOCKS = 500;

/**
 * The body of a whole reply: every key of docs/use/messages.md#reply, null where there is no value.
 * @throws ProviderFault `malformed-reply` for a tool call whose arguments are no JSON object
 */
export function* viewReply(generation: GenerationView, reply: Reply): Steps<MessageReply> {
  const { stop, blocks, startExtras, endExtras } = reply;
  const start = startExtras ? ownExtras(startExtras) : NO_EXTRAS;
  const end = endExtras ? ownExtras(endExtras) : NO_EXTRAS;
  const content: JsonObject[] = [];
  for (let index = 0; index < blocks.length; index++) {
    if (index % STEP_BLOCKS === STEP_BLOCKS - 1) yield;
    const block = blocks[index]!;
    const view = block.start.type === 'text' ? viewText(block, block.start) : yield* viewBlock(block, stop);
    if (view) content.push(view);
  }
  return {
    type: 'message',
    ...start,
    id: generation.id,
    role: 'assistant',
    model: generation.model,
    content,
    ...viewStop(stop, start, end),
    usage: viewUsage(generation.charged ?? reply.usage, generation),
    context_management: generation.appliedEdits ? viewEdits(generation, end) : (end['context_management'] ?? null),
    provider: generation.provider,
    ...(generation.files.length > 0 && viewFiles(generation)),
    ...generation.extras,
  };
}

/** The edits of the conversation, by this gateway or by the vendor, who reports them at the end of a reply. */
export const viewEdits = ({ appliedEdits }: GenerationView, end: JsonObject): Json =>
  appliedEdits ? { applied_edits: appliedEdits } : (end['context_management'] ?? null);

/** Parsed files, to be handed back by the caller; the same in a whole reply and in `message_delta`. */
export const viewFiles = ({ files }: GenerationView): Pick<MessageReply, 'annotations'> =>
  files.length > 0 ? { annotations: files.map(viewParsedFile) } : {};

/**
 * A block at its start: in its empty form, or whole where it arrives whole (docs/use/streaming.md#events-of-messages).
 * @returns undefined for a block of another vendor's own, which the Messages format cannot express: it is not shown
 */
export function viewBlockStart(block: BlockStart): JsonObject | undefined {
  switch (block.type) {
    case 'text':
      return viewText(EMPTY_TEXT, block);
    case 'thinking':
      return { type: 'thinking', ...ownExtras(block.extras), thinking: '', signature: '' };
    case 'redacted-thinking':
      return { type: 'redacted_thinking', ...ownExtras(block.extras), data: printToken(block.data, block.mark) };
    case 'tool-use':
      return { type: 'tool_use', ...ownExtras(block.extras), id: block.id, name: block.name, input: {} };
    case 'server-tool-use':
      return { type: 'server_tool_use', ...ownExtras(block.extras), id: block.id, name: block.name, input: {} };
    case 'image':
      return { type: 'image', ...ownExtras(block.extras), source: viewSource(block.source) };
    case 'service-tool-result': {
      const { type, toolUseId, content } = block.result;
      return { type, tool_use_id: toolUseId, content };
    }
    case 'opaque':
      return block.opaque.vendor === 'anthropic' ? block.opaque.value : undefined;
  }
}

const EMPTY_TEXT = { text: '', citations: [] };

function viewText(
  { text, citations }: Pick<ReplyBlock, 'text' | 'citations'>,
  { extras, phase }: Extract<BlockStart, { type: 'text' }>,
): JsonObject {
  // docs/use/conventions.md#values: `[]` when there are none, never null.
  const cited = citations.length === 0 ? NO_CITATIONS : citations.map(viewCitation).filter(isShown);
  if (extras === undefined && phase === undefined) return { type: 'text', text, citations: cited };
  return { type: 'text', ...ownExtras(extras), ...(phase !== undefined && { phase }), text, citations: cited };
}

const NO_CITATIONS: readonly never[] = [];
const isShown = (citation: Json | undefined): citation is Json => citation !== undefined;

/** An image in the form that callers send. */
const viewSource = (source: MediaSource): JsonObject =>
  source.type === 'url'
    ? { type: 'url', url: source.url }
    : { type: 'base64', media_type: source.mediaType, data: source.data };

/**
 * A finished block.
 * @returns undefined for a block that is not shown, as `viewBlockStart`
 * @throws ProviderFault `malformed-reply` for a tool call whose arguments are no JSON object
 */
function* viewBlock(block: ReplyBlock, stop: StopReason): Steps<JsonObject | undefined> {
  const { start, text } = block;
  const empty = viewBlockStart(start);
  if (!empty) return undefined;
  switch (start.type) {
    case 'text':
      return viewText(block, start);
    case 'thinking':
      return {
        ...empty,
        thinking: text,
        // Unsigned reasoning has its maker's mark too: otherwise it would come back without its origin.
        signature: printToken(block.signature ?? '', start.mark),
      };
    case 'redacted-thinking':
    case 'image':
    case 'service-tool-result':
      return empty;
    case 'tool-use':
    case 'server-tool-use':
      return { ...empty, input: yield* readToolInput(text, start.name, stop) };
    case 'opaque':
      return yield* viewOpaque(empty, block, stop);
  }
}

/**
 * A block of the vendor's own with its deltas merged in, as the vendor's own client does it: the keys of a delta
 * replace.
 */
function* viewOpaque(
  value: JsonObject,
  { text, citations, opaqueDeltas }: ReplyBlock,
  stop: StopReason,
): Steps<JsonObject> {
  let whole = value;
  if (text !== '') whole = { ...whole, ...(yield* withAppended(value, text, stop)) };
  if (citations.length > 0) {
    const before = Array.isArray(value['citations']) ? (value['citations'] as readonly Json[]) : [];
    whole = { ...whole, citations: [...before, ...citations] };
  }
  for (const { vendor, value: delta } of opaqueDeltas) {
    if (vendor !== 'anthropic') continue;
    const { type: _type, ...fields } = delta;
    whole = { ...whole, ...fields };
  }
  return whole;
}

function* withAppended(value: JsonObject, text: string, stop: StopReason): Steps<JsonObject> {
  const { name } = value;
  if (Object.hasOwn(value, 'input'))
    return { input: yield* readToolInput(text, typeof name === 'string' ? name : '', stop) };
  return { text: typeof value['text'] === 'string' ? value['text'] + text : text };
}

/**
 * The end of a reply: the same keys in a whole reply and in the `delta` of `message_delta`
 * (docs/use/messages.md#reply, docs/use/streaming.md#events-of-messages).
 */
export interface StopView extends JsonObject {
  readonly stop_reason: string;
  readonly stop_sequence: string | null;
  readonly stop_details: Json;
  readonly container: Json;
}

/** @param start what `ownExtras` returns for its beginning, and `end` for its end */
export function viewStop(stop: StopReason, start: JsonObject, end: JsonObject): StopView {
  const { unified, vendor, raw } = stop;
  const isForeign = vendor !== 'anthropic';
  const isRefusal = unified === 'refusal' || unified === 'content-filter';
  const vendorFields = end === NO_EXTRAS ? end : withoutOurs(end);
  return {
    stop_reason: isForeign || raw === null ? MESSAGES_STOP_REASONS[unified] : raw,
    ...vendorFields,
    stop_sequence: stop.sequence ?? null,
    stop_details: vendorFields['stop_details'] ?? (isForeign && isRefusal ? UNEXPLAINED_REFUSAL : null),
    container: vendorFields['container'] ?? start['container'] ?? null,
  };
}

function withoutOurs(end: JsonObject): JsonObject {
  const { context_management: _shownApart, stop_reason: _ours, ...vendorFields } = end;
  return vendorFields;
}

/**
 * `usage` with every key of docs/use/messages.md#reply; unreported ones are null. Keys of the vendor's without a
 * neutral counterpart are added.
 */
export function viewUsage(usage: Usage, { bill, isByok }: Billing): JsonObject {
  const raw = usage.extras?.vendor === 'anthropic' ? usage.extras.value : {};
  const { cacheWriteTokens, cacheWrite1hTokens, reasoningTokens, webSearchRequests, webFetchRequests } = usage;
  const wroteCache = cacheWriteTokens !== undefined || cacheWrite1hTokens !== undefined;
  const served = chargedService(usage, bill);
  const ranTools = webSearchRequests !== undefined || webFetchRequests !== undefined;
  const view: { [key: string]: Json } = {
    input_tokens: usage.inputTokens ?? 0,
    output_tokens: usage.outputTokens ?? 0,
    cache_creation: wroteCache
      ? { ephemeral_5m_input_tokens: cacheWriteTokens ?? 0, ephemeral_1h_input_tokens: cacheWrite1hTokens ?? 0 }
      : null,
    cache_creation_input_tokens: wroteCache ? (cacheWriteTokens ?? 0) + (cacheWrite1hTokens ?? 0) : null,
    cache_read_input_tokens: usage.cacheReadTokens ?? null,
    inference_geo: served.inferenceGeo ?? null,
    server_tool_use: ranTools
      ? {
          ...objectAt(raw, 'server_tool_use'),
          web_search_requests: webSearchRequests ?? 0,
          web_fetch_requests: webFetchRequests ?? 0,
        }
      : null,
    // docs/use/messages.md#usage: the base tier is `standard` here, whatever its vendor calls it.
    service_tier: served.serviceTier === 'default' ? 'standard' : (served.serviceTier ?? null),
    output_tokens_details:
      reasoningTokens === undefined
        ? null
        : { ...objectAt(raw, 'output_tokens_details'), thinking_tokens: reasoningTokens },
    cost: bill ? usdNumber(bill.cost) : null,
    cost_details: bill ? viewCostDetails(bill) : null,
    is_byok: isByok,
    iterations: Array.isArray(raw['iterations'])
      ? raw['iterations']
      : bill
        ? (usage.iterations ?? [usage]).map(viewIteration)
        : [],
    // docs/use/messages.md#speed-and-tier: `standard` is the default.
    speed: served.speed ?? 'standard',
  };
  for (const key in raw) if (!(key in view) && raw[key] !== undefined) view[key] = raw[key];
  return view;
}

/** The purpose of each kind of call, by the names of this face and of `/routing/explain`. */
export const CALL_PURPOSES: Readonly<Record<UsageIteration['kind'], string>> = {
  message: 'message',
  compaction: 'compaction',
  advisor: 'advisor_message',
  'image-generation': 'image_generation',
  'fusion-panel': 'fusion_panel',
  'fusion-judge': 'fusion_judge',
  moderation: 'moderation',
};

/** One of the calls behind a reply, or the whole reply where its vendor lists none: then it was one call. */
function viewIteration(call: TokenFigures & Partial<Pick<UsageIteration, 'kind' | 'model'>>): JsonObject {
  const { kind = 'message', model, cacheWriteTokens, cacheWrite1hTokens } = call;
  const isConsulted = kind !== 'message' && kind !== 'compaction';
  return {
    // The format's only word for a consulted model: clients refuse a reply with any other (`@ai-sdk/anthropic`).
    type: isConsulted ? CALL_PURPOSES.advisor : kind,
    ...(isConsulted && kind !== 'advisor' && { purpose: CALL_PURPOSES[kind] }),
    ...(model !== undefined && { model }),
    input_tokens: call.inputTokens ?? 0,
    output_tokens: call.outputTokens ?? 0,
    cache_creation_input_tokens: (cacheWriteTokens ?? 0) + (cacheWrite1hTokens ?? 0),
    cache_read_input_tokens: call.cacheReadTokens ?? 0,
    cache_creation: {
      ephemeral_5m_input_tokens: cacheWriteTokens ?? 0,
      ephemeral_1h_input_tokens: cacheWrite1hTokens ?? 0,
    },
  };
}

function objectAt(value: JsonObject, key: string): JsonObject | undefined {
  const member = value[key];
  return isJsonObject(member) ? member : undefined;
}

/** Keys that belong to this gateway: an upstream that is itself a gateway must not set them. */
const GATEWAY_KEYS: ReadonlySet<string> = new Set(['provider', 'router_metadata', 'openrouter_metadata']);

/** Members of an upstream's reply that the neutral model does not have; none of other formats than this one. */
export function ownExtras(extras: Opaque | undefined): JsonObject {
  if (extras?.vendor !== 'anthropic') return NO_EXTRAS;
  const { value } = extras;
  for (const key of GATEWAY_KEYS) {
    if (Object.hasOwn(value, key)) {
      return Object.fromEntries(Object.entries(value).filter(([own]) => !GATEWAY_KEYS.has(own)));
    }
  }
  return value;
}
