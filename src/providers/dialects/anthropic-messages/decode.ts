import type { BlockStart, ModelEvent, SourceBytes, StopReason } from '../../../core/conversation/event.js';
import { mergeUsage, NO_USAGE, type Usage } from '../../../core/conversation/usage.js';
import { parseJson, isJsonObject, type Json, type JsonObject } from '../../../core/json/json.js';
import type { DecodeContext } from '../../../core/provider.js';
import type { SseFrame } from '../../../core/stream/sse.js';
import type { StreamStage } from '../../../core/stream/stream-stage.js';
import { printInSteps } from '../../../core/json/print-in-pieces.js';
import type { Steps } from '../../../core/steps.js';
import { isLong } from '../read-json.js';
import { toolNamesOf, type ToolNames } from '../tool-names.js';
import { besides, extrasOf, hasOnly, readBlock, readDelta } from './decode-block.js';
import { NAMING } from './encode-blocks.js';
import { malformed, readInBandFault } from './fault.js';
import { PlainDelta, sourceOf } from './plain-delta.js';
import { TABLE } from './table.js';
import { mergeRawUsage, NO_RAW_USAGE, readUsage, reportsOutput } from './usage.js';

const NOTHING: JsonObject = {};

/** Keys of a message that are only known at its end; at its start they are empty. */
const END_KEYS: ReadonlySet<string> = new Set(['container', 'context_management', 'stop_details']);

type Read = (decoder: MessagesDecoder, payload: JsonObject, source: SourceBytes | undefined, out: ModelEvent[]) => void;

const READ: ReadonlyMap<string, Read> = new Map<string, Read>([
  ['message_start', (decoder, payload, _source, out) => decoder.startReply(payload['message'], out)],
  [
    'content_block_start',
    (decoder, payload, _source, out) => decoder.startBlock(indexOf(payload), payload['content_block'], out),
  ],
  [
    'content_block_delta',
    (decoder, payload, source, out) => decoder.growBlock(indexOf(payload), payload['delta'], source, out),
  ],
  ['content_block_stop', (decoder, payload, source, out) => decoder.endBlock(indexOf(payload), source, out)],
  ['message_delta', (decoder, payload, _source, out) => decoder.readEnding(payload, out)],
  ['message_stop', (decoder, _payload, _source, out) => decoder.endReply(out)],
  ['ping', (_decoder, _payload, source, out) => out.push(source ? { type: 'ping', source } : { type: 'ping' })],
  [
    'error',
    (_decoder, payload) => {
      throw readInBandFault(payload);
    },
  ],
]);

/**
 * Reads the vendor's stream. One per reply; a whole reply goes through the same methods. It checks the shape of each
 * event; the grammar checks their order.
 */
export class MessagesDecoder implements StreamStage<SseFrame, ModelEvent> {
  private names: ToolNames | undefined;
  private openBlock: BlockStart['type'] | undefined;
  private plainDelta: PlainDelta | undefined;
  private inputOfStart: string | undefined;
  private hasInput = false;
  private rawUsage: JsonObject = NO_RAW_USAGE;
  private usage: Usage = NO_USAGE;
  /** A report after the last content contained the output tokens. */
  private hasLastOutput = false;
  private stopReason: string | undefined;
  private stopSequence: string | undefined;
  private endExtras: JsonObject = NOTHING;
  private ended = false;

  constructor(private readonly context: DecodeContext) {}

  /** Ignores frames with unknown names, `[DONE]`, and everything after the end. */
  push(frame: SseFrame, out: ModelEvent[]): void {
    if (this.plainDelta?.read(frame, out)) return;
    if (this.ended || frame.data === '' || frame.data === '[DONE]') return;
    // `message` is the name that the SSE standard gives to a frame without one.
    const isNamed = frame.event !== '' && frame.event !== 'message';
    if (isNamed && !READ.has(frame.event)) return;
    const payload = parse(frame.data);
    const type = typeof payload['type'] === 'string' ? payload['type'] : frame.event;
    const read = READ.get(type);
    if (!read) return;
    read(this, payload, type === frame.event ? sourceOf(frame) : undefined, out);
  }

  /**
   * @throws ProviderFault when the stream stopped before its end: a cut reply never counts as a whole one
   * (docs/use/streaming.md#failures-in-mid-stream).
   */
  end(): void {
    if (!this.ended) throw malformed('the stream was cut before its end', { isCut: true });
  }

  startReply(message: Json | undefined, out: ModelEvent[]): void {
    if (!isJsonObject(message)) throw malformed('message_start has no message');
    const { type: _type, role: _role, content, id, model, usage, ...rest } = message;
    const { stop_reason: reason, stop_sequence: sequence, ...unknown } = rest;
    const vendorFields = Object.fromEntries(
      Object.entries(unknown).filter(([key, value]) => value !== null || !END_KEYS.has(key)),
    );
    // If the end is still to come, it reports most of these fields.
    this.startWith(id, model, usage, vendorFields, out, typeof reason !== 'string');
    // A turn that continues in running code arrives complete in its start, with its end.
    if (Array.isArray(content))
      for (const [index, block] of (content as readonly Json[]).entries()) {
        this.startBlock(index, block, out);
        this.endBlock(index, undefined, out);
      }
    this.endWith(reason, sequence, this.endExtras);
  }

  /**
   * @param vendorFields other fields of the start
   * @param isInterim whether a later event completes them
   */
  startWith(
    id: Json | undefined,
    model: Json | undefined,
    usage: Json | undefined,
    vendorFields: JsonObject,
    out: ModelEvent[],
    isInterim: boolean,
  ): void {
    out.push(
      typeof id === 'string' && typeof model === 'string' && vendorFields === NOTHING
        ? { type: 'reply-start', id, model }
        : {
            type: 'reply-start',
            ...(typeof id === 'string' && { id }),
            ...(typeof model === 'string' && { model }),
            ...extrasOf(vendorFields),
          },
    );
    this.readUsage(isJsonObject(usage) ? usage : NOTHING, out, isInterim);
  }

  startBlock(index: number, block: Json | undefined, out: ModelEvent[]): void {
    const { start: started, deltas, inputJson } = readBlock(block);
    const start = started.type === 'tool-use' ? { ...started, name: this.originalName(started.name) } : started;
    this.openBlock = start.type;
    this.inputOfStart = inputJson;
    this.hasInput = false;
    out.push({ type: 'block-start', index, block: start });
    for (const delta of deltas) out.push({ type: 'block-delta', index, delta });
  }

  growBlock(index: number, value: Json | undefined, source: SourceBytes | undefined, out: ModelEvent[]): void {
    const delta = readDelta(value, this.openBlock);
    if (!delta) return;
    // Later deltas of the block skip the parser; a block of a whole reply has none.
    if (delta.type === this.openBlock && (delta.type === 'text' || delta.type === 'thinking'))
      this.plainDelta ??= new PlainDelta(index, delta.type);
    if (delta.type === 'input-json' && delta.json !== '') {
      // Whitespace before or instead of arguments has no meaning.
      if (!this.hasInput && delta.json.trim() === '') return;
      this.hasInput = true;
      this.inputOfStart = undefined;
    }
    out.push(source ? { type: 'block-delta', index, delta, source } : { type: 'block-delta', index, delta });
  }

  endBlock(index: number, source: SourceBytes | undefined, out: ModelEvent[]): void {
    if (this.inputOfStart !== undefined) {
      out.push({ type: 'block-delta', index, delta: { type: 'input-json', json: this.inputOfStart } });
      this.inputOfStart = undefined;
    }
    this.openBlock = undefined;
    this.plainDelta = undefined;
    out.push(source ? { type: 'block-end', index, source } : { type: 'block-end', index });
  }

  /** `message_delta`: the final usage, and the reason for the end. Its other fields come with the end. */
  readEnding(payload: JsonObject, out: ModelEvent[]): void {
    const { type: _type, delta, usage, ...beside } = payload;
    if (!isJsonObject(delta)) throw malformed('message_delta has no delta');
    const { stop_reason: reason, stop_sequence: sequence, ...rest } = delta;
    this.endWith(reason, sequence, { ...this.endExtras, ...beside, ...rest });
    if (!isJsonObject(usage)) return;
    // A report without output tokens leaves the figure of the start, which came before any output.
    this.hasLastOutput ||= reportsOutput(usage);
    this.readUsage(usage, out, !this.hasLastOutput);
  }

  /** @param vendorFields other fields of the end */
  endWith(reason: Json | undefined, sequence: Json | undefined, vendorFields: JsonObject): void {
    if (typeof reason === 'string') this.stopReason = reason;
    if (typeof sequence === 'string') this.stopSequence = sequence;
    this.endExtras = vendorFields;
  }

  endReply(out: ModelEvent[]): void {
    if (this.stopReason === undefined) throw malformed('the reply has no stop_reason');
    this.ended = true;
    const raw = this.stopReason;
    const unified = TABLE.stops.unified.get(raw) ?? 'other';
    const stop: StopReason =
      this.stopSequence === undefined
        ? { unified, raw, vendor: 'anthropic' }
        : { unified, raw, vendor: 'anthropic', sequence: this.stopSequence };
    out.push(
      this.endExtras === NOTHING
        ? { type: 'reply-end', stop }
        : { type: 'reply-end', stop, ...extrasOf(this.endExtras) },
    );
  }

  /** The tool's name in the caller's request. */
  private originalName(name: string): string {
    return (this.names ??= toolNamesOf(this.context, NAMING)).toOriginal(name);
  }

  private readUsage(usage: JsonObject, out: ModelEvent[], isInterim: boolean): void {
    this.rawUsage = this.rawUsage === NO_RAW_USAGE ? usage : mergeRawUsage(this.rawUsage, usage);
    const read = readUsage(this.rawUsage);
    this.usage = this.usage === NO_USAGE ? read : mergeUsage(this.usage, read);
    out.push(isInterim ? { type: 'usage', usage: this.usage, isInterim } : { type: 'usage', usage: this.usage });
  }
}

/** The events of a whole reply: a stream whose blocks are complete from their start. */
export function* decodeMessage(body: unknown, context: DecodeContext): Steps<ModelEvent[]> {
  if (!isJsonObject(body)) throw malformed('the body is not a JSON object');
  if (body['type'] === 'error' || isJsonObject(body['error'])) throw readInBandFault(body);
  const { id, model, content, usage, stop_reason, stop_sequence } = body;
  if (!Array.isArray(content)) throw malformed('the message has no content');
  const decoder = new MessagesDecoder(context);
  const out: ModelEvent[] = [];
  decoder.startWith(id, model, usage, NOTHING, out, false);
  let index = 0;
  for (const block of content as readonly Json[]) {
    if (index > 0 && index % STEP_BLOCKS === 0) yield;
    const hasInput = isJsonObject(block) && block['input'] !== undefined;
    decoder.startBlock(index, hasInput ? yield* withPrintedInput(block) : block, out);
    decoder.endBlock(index++, undefined, out);
  }
  decoder.endWith(stop_reason, stop_sequence, hasOnly(body, WHOLE_KEYS) ? NOTHING : besides(body, WHOLE_KEYS));
  decoder.endReply(out);
  return out;
}

/** Blocks that are read before other work gets its turn. */
const STEP_BLOCKS = 500;
const WHOLE_KEYS: ReadonlySet<string> = new Set([
  'type', 'role', 'id', 'model', 'content', 'usage', 'stop_reason', 'stop_sequence',
]); // oxfmt-ignore

/** Long arguments are printed as text, which is read in the same way. */
function* withPrintedInput(block: JsonObject): Steps<JsonObject> {
  const { input } = block;
  if (!isJsonObject(input) || !isLong(input)) return block;
  return { ...block, input: yield* printInSteps(input) };
}

function parse(data: string): JsonObject {
  let payload: unknown;
  try {
    payload = parseJson(data);
  } catch {
    throw malformed('an event is not valid JSON');
  }
  if (!isJsonObject(payload)) throw malformed('an event is not a JSON object');
  return payload;
}

function indexOf(payload: JsonObject): number {
  const index = payload['index'];
  if (typeof index !== 'number') throw malformed('an event names no block');
  return index;
}
