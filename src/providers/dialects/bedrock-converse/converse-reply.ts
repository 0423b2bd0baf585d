import type { BlockStart, ModelEvent } from '../../../core/conversation/event.js';
import type { ReasoningMark } from '../../../core/conversation/reasoning-mark.js';
import { mergeUsage, NO_USAGE, type Usage } from '../../../core/conversation/usage.js';
import { definedOnly } from '../../../core/defined.js';
import { ProviderFault } from '../../../core/errors.js';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.js';
import type { DecodeContext } from '../../../core/provider.js';
import { ArgumentScan } from '../argument-scan.js';
import { BLOCKS_MAX, BlockSequencer, type BlockOptions, type SequencedBlock } from '../block-sequencer.js';
import { malformed, nonEmpty, objectOf, printed } from '../read-json.js';
import { UniqueToolIds } from '../tool-ids.js';
import { toolNamesOf, type ToolNames } from '../tool-names.js';
import { markOf } from './families.js';
import { readCitation } from './read-citation.js';
import { readStop } from './read-stop.js';
import { readUsage } from './read-usage.js';

/** Options of a block that waits only until the open block ends. */
const UNTIL_COMPLETE: BlockOptions = { isComplete: false };
const CALL_UNTIL_COMPLETE: BlockOptions = { isComplete: false, ifEmpty: { type: 'input-json', json: '{}' } };
const TEXT: BlockStart = { type: 'text' };
/** Tools that the vendor runs: those with its own type, and Nova's by their names. */
const SERVER_TOOL_TYPE = 'server_tool_use';
const SERVER_TOOL_PREFIX = 'nova_';

/** The block at one index of the reply. */
interface BlockState {
  block: SequencedBlock | undefined;
  readonly scan: ArgumentScan | undefined;
  /**
   * Whether the block is ignored: it belongs to a tool that the vendor runs, or is of a kind that was not requested.
   */
  readonly isPassedOver: boolean;
  /** The encrypted reasoning and the signature so far: each is emitted whole, since a face may wrap it. */
  sealed: string;
  signature: string;
  /** The image so far, likewise emitted whole. */
  readonly picture: { readonly mediaType: string; readonly bytes: Buffer[] } | undefined;
}

/**
 * The reply under construction, streamed or whole: it takes pieces, and emits events that obey the grammar. One per
 * reply.
 */
export class ConverseReply {
  private hasBegun = false;
  private hasEnded = false;
  private readonly sequencer = new BlockSequencer();
  private readonly blocks = new Map<number, BlockState>();
  private names: ToolNames | undefined;
  private readonly callIds: UniqueToolIds;
  private mark: ReasoningMark | undefined;
  private calls = 0;
  private ranVendorTools: true | undefined;
  /** Undefined until the provider reports that it has finished. */
  private stop: string | null | undefined;
  private stopFields: JsonObject = {};
  private usage: Usage | undefined;
  private serviceTier: string | undefined;

  constructor(private readonly context: DecodeContext) {
    this.callIds = new UniqueToolIds(context.request.messages, 'tooluse');
  }

  get isOver(): boolean {
    return this.hasEnded;
  }

  /** Both the stop and the usage have arrived. */
  get isComplete(): boolean {
    return this.stop !== undefined && this.usage !== undefined;
  }

  begin(out: ModelEvent[]): void {
    if (this.hasBegun) return;
    this.hasBegun = true;
    out.push({ type: 'reply-start' });
  }

  /** @param start a `contentBlockStart`, whose key gives the kind; texts and reasoning need none */
  blockStart(index: number, start: JsonObject, out: ModelEvent[]): void {
    this.begin(out);
    const { toolUse, image } = start;
    if (isJsonObject(toolUse)) this.beginCall(index, toolUse, out);
    else if (isJsonObject(image)) this.beginPicture(index, image);
    // Results of the vendor's tools were not requested.
    else if (Object.keys(start).length > 0) this.put(index, passedOver());
  }

  /** @param delta a piece of a block; in a whole reply, all of it under the same keys */
  blockDelta(index: number, delta: JsonObject, out: ModelEvent[]): void {
    this.begin(out);
    const { text, toolUse, reasoningContent, citation, image } = delta;
    if (typeof text === 'string') this.words(index, text, out);
    else if (isJsonObject(toolUse)) this.arguments(index, toolUse['input'], out);
    else if (isJsonObject(reasoningContent)) this.reasoning(index, reasoningContent, out);
    else if (citation !== undefined) this.cite(index, citation, out);
    else if (isJsonObject(image)) this.picture(index, image);
  }

  blockStop(index: number, out: ModelEvent[]): void {
    const state = this.blocks.get(index);
    if (state === undefined) return;
    this.blocks.delete(index);
    if (state.sealed !== '') {
      const block: BlockStart = { type: 'redacted-thinking', data: state.sealed, mark: this.ownMark() };
      this.sequencer.begin(block, { isComplete: true }, out);
    }
    if (state.picture !== undefined && state.picture.bytes.length > 0) {
      const { mediaType, bytes } = state.picture;
      const data = Buffer.concat(bytes).toString('base64');
      this.sequencer.begin({ type: 'image', source: { type: 'base64', mediaType, data } }, { isComplete: true }, out);
    }
    if (state.block === undefined) return;
    const { signature } = state;
    if (signature !== '') this.sequencer.add(state.block, { type: 'signature', signature }, out);
    this.sequencer.complete(state.block, out);
  }

  /** @param body a `messageStop`, or a whole reply */
  finish(body: JsonObject): void {
    this.stop ??= nonEmpty(body['stopReason']) ?? null;
    this.stopFields = objectOf(body['additionalModelResponseFields']);
  }

  /** @param body a `metadata`, or a whole reply */
  report(body: JsonObject): void {
    this.usage = readUsage(body['usage']) ?? this.usage;
    this.serviceTier = nonEmpty(objectOf(body['serviceTier'])['type']) ?? this.serviceTier;
  }

  /** @throws ProviderFault `malformed-reply` when the provider never reported that it had finished */
  end(out: ModelEvent[]): void {
    if (this.hasEnded) return;
    if (this.stop === undefined) {
      throw new ProviderFault('malformed-reply', 'The provider stopped before its reply was finished.', {
        isCut: true,
      });
    }
    this.hasEnded = true;
    this.begin(out);
    for (const index of [...this.blocks.keys()]) this.blockStop(index, out);
    this.sequencer.finish(out);
    const stop = readStop(this.stop, this.calls > 0, this.stopFields);
    const beside = definedOnly({ serviceTier: this.serviceTier, ranVendorTools: this.ranVendorTools });
    // Usage as reported; the charge estimates what is missing (`core/money/judge-usage.ts`).
    out.push({ type: 'usage', usage: mergeUsage(this.usage ?? NO_USAGE, beside) });
    out.push({ type: 'reply-end', stop });
  }

  private words(index: number, text: string, out: ModelEvent[]): void {
    const state = this.blocks.get(index);
    if (state?.isPassedOver || text === '') return;
    const block = state?.block?.start.type === 'text' ? state.block : this.begins(index, TEXT, out);
    this.sequencer.add(block, { type: 'text', text }, out);
  }

  /** docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ImageBlockStart.html */
  private beginPicture(index: number, { format }: JsonObject): void {
    this.put(index, { ...stateOf(undefined), picture: { mediaType: `image/${nonEmpty(format) ?? 'png'}`, bytes: [] } });
  }

  /** @throws ProviderFault where it was interrupted, or exceeds the limit of what is kept */
  private picture(index: number, { source, error }: JsonObject): void {
    const state = this.blocks.get(index);
    if (state?.picture === undefined) return;
    if (error !== undefined) throw malformed('breaks off in a picture');
    const bytes = nonEmpty(objectOf(source)['bytes']);
    if (bytes === undefined) return;
    this.sequencer.keep(bytes.length);
    // Each piece is encoded in base64 by itself.
    state.picture.bytes.push(Buffer.from(bytes, 'base64'));
  }

  private cite(index: number, citation: Json, out: ModelEvent[]): void {
    const state = this.blocks.get(index);
    const read = readCitation(citation);
    if (state?.isPassedOver || read === undefined) return;
    const block = state?.block?.start.type === 'text' ? state.block : this.begins(index, TEXT, out);
    this.sequencer.add(block, { type: 'citation', citation: read }, out);
  }

  /** Emits text at once, and what is encrypted or signed when it is complete. */
  private reasoning(index: number, piece: JsonObject, out: ModelEvent[]): void {
    const sealed = nonEmpty(piece['redactedContent']);
    if (sealed !== undefined) {
      const state = this.blocks.get(index) ?? this.opened(index);
      this.sequencer.keep(sealed.length);
      state.sealed += sealed;
      return;
    }
    const text = nonEmpty(piece['text']);
    const signature = nonEmpty(piece['signature']);
    if (text === undefined && signature === undefined) return;
    if (this.blocks.get(index)?.block?.start.type !== 'thinking') {
      this.begins(index, { type: 'thinking', mark: this.ownMark() }, out);
    }
    const state = this.blocks.get(index);
    if (state?.block === undefined) return;
    if (text !== undefined) this.sequencer.add(state.block, { type: 'thinking', text }, out);
    if (signature === undefined) return;
    this.sequencer.keep(signature.length);
    state.signature += signature;
  }

  private beginCall(index: number, toolUse: JsonObject, out: ModelEvent[]): void {
    const name = nonEmpty(toolUse['name']);
    if (toolUse['type'] === SERVER_TOOL_TYPE || name?.startsWith(SERVER_TOOL_PREFIX)) {
      this.ranVendorTools = true;
      this.put(index, passedOver());
      return;
    }
    if (name === undefined) {
      throw new ProviderFault('malformed-reply', 'The provider sent a tool call that it did not name.');
    }
    this.names ??= toolNamesOf(this.context);
    const id = this.callIds.take(nonEmpty(toolUse['toolUseId']));
    this.calls++;
    const start: BlockStart = { type: 'tool-use', id, name: this.names.toOriginal(name) };
    const block = this.sequencer.begin(start, CALL_UNTIL_COMPLETE, out);
    this.put(index, stateOf(block, new ArgumentScan()));
  }

  /** @param input a piece of their text; in a whole reply, the value itself */
  private arguments(index: number, input: Json | undefined, out: ModelEvent[]): void {
    const state = this.blocks.get(index);
    if (state?.isPassedOver) return;
    if (state?.block === undefined || state.scan === undefined) {
      throw new ProviderFault('malformed-reply', 'The provider sent arguments of a tool call that it did not name.');
    }
    const json = typeof input === 'string' ? input : isJsonObject(input) ? printed(input) : '';
    const kept = json === '' ? '' : state.scan.take(json);
    if (kept !== '') this.sequencer.add(state.block, { type: 'input-json', json: kept }, out);
  }

  /** Begins a block at the index. Any other block there has ended, even without an event for its end. */
  private begins(index: number, start: BlockStart, out: ModelEvent[]): SequencedBlock {
    this.blockStop(index, out);
    const block = this.sequencer.begin(start, UNTIL_COMPLETE, out);
    this.put(index, stateOf(block));
    return block;
  }

  private put(index: number, state: BlockState): void {
    if (this.blocks.size === BLOCKS_MAX) throw malformed('has too many blocks');
    this.blocks.set(index, state);
  }

  private opened(index: number): BlockState {
    const state = stateOf(undefined);
    this.put(index, state);
    return state;
  }

  private ownMark(): ReasoningMark {
    return (this.mark ??= markOf(this.context.target));
  }
}

const stateOf = (block: SequencedBlock | undefined, scan?: ArgumentScan): BlockState => ({
  block,
  scan,
  isPassedOver: false,
  sealed: '',
  signature: '',
  picture: undefined,
});

const passedOver = (): BlockState => ({ ...stateOf(undefined), isPassedOver: true });
