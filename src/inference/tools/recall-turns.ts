import {
  blockPath,
  type ContentBlock,
  type Message,
  type RedactedThinkingBlock,
  type ToolResultBlock,
  type ToolUseBlock,
} from '../../core/conversation/content.js';
import { append } from '../../core/append.js';
import { GATEWAY_TOOLS } from '../../core/conversation/reasoning-mark.js';
import { SERVER_TOOL_USE_PREFIX } from '../../core/ids.js';
import { isJsonObject, type Json, type JsonObject } from '../../core/json/json.js';
import { StepCounter, type Steps } from '../../core/steps.js';
import type { ServiceTool } from '../../core/tool.js';
import { readCacheMarker, type WireCacheControl } from '../read-cache-marker.js';
import { SealedReply, toolResult, type SealedUse, type SplitReply } from './sealed-reply.js';
import { UniqueNames } from './unique-names.js';

/** The gateway's tools by the types of their results. */
export type ByResultType = ReadonlyMap<string, ServiceTool>;

/** Whether a conversation holds what the gateway's tools did in earlier turns. */
export const holdsToolTurns = (messages: readonly Message[]): boolean =>
  messages.some(({ role, content }) => role === 'assistant' && content.some(isOurs));

/** What holds a seal, the block or the part of a result, and the seal. */
export type HeldSeals = ReadonlyMap<object, string>;
/** The same, and what was in it; absent: it does not open. */
export type OpenedSeals = ReadonlyMap<object, Json>;

/** All that has to be opened to tell models of it again. */
export function* findSeals(messages: readonly Message[]): Steps<HeldSeals> {
  const steps = new StepCounter();
  const seals = new Map<object, string>();
  for (const { content } of messages) {
    for (const block of content) {
      if (steps.isOver()) yield;
      if (isSealed(block)) seals.set(block, block.data);
      for (const part of partsOf(ownValue(block)?.['content'])) {
        if (steps.isOver()) yield;
        const sealed = isJsonObject(part) ? part['encrypted_content'] : undefined;
        if (typeof sealed === 'string') seals.set(part as JsonObject, sealed);
      }
    }
  }
  return seals;
}

/** Opened or told in one step, in characters: about a millisecond's work, beside that of one seal or result. */
const STEP_CHARACTERS = 256 * 1024;

/** Seals are as long as what tools brought, and a conversation has as many of them as it has room for. */
export function* openSeals(
  seals: HeldSeals,
  open: (sealed: string, address?: string) => Json | undefined,
): Steps<OpenedSeals> {
  const opened = new Map<object, Json>();
  const steps = new StepCounter();
  let characters = 0;
  for (const [holder, sealed] of seals) {
    if (steps.isOver() || characters > STEP_CHARACTERS) {
      yield;
      characters = 0;
    }
    characters += sealed.length;
    const value = open(sealed, addressOf(holder));
    if (value !== undefined) opened.set(holder, value);
  }
  return opened;
}

/** Of a page among the results of a search: its text opens beside no other. */
const addressOf = (holder: object): string | undefined =>
  'url' in holder && typeof holder.url === 'string' ? holder.url : undefined;

/** What a conversation is told again with. */
export interface RecallInputs {
  readonly tools: ByResultType;
  readonly opened: OpenedSeals;
  /** Names of the caller's own tools: where one of the gateway's is called so, models know it by another. */
  readonly taken: ReadonlySet<string>;
}

/**
 * The conversation as its models had it: calls of the gateway's tools and their results are turns of their own again,
 * for whatever model is asked next. What cannot be opened any more is told so by its tool, or left out; so is a call
 * without its result, and a result without its call.
 */
export function* recallTurns(messages: readonly Message[], inputs: RecallInputs): Steps<Message[]> {
  const steps = new StepCounter();
  const turns: Message[] = [];
  const names = new UniqueNames(inputs.taken);
  /** What the assistant has said since the caller last spoke, where the gateway's tools are part of it. */
  let reply: OpenedReply | SplitTurn | undefined;
  for (const [index, message] of messages.entries()) {
    if (steps.isOver(message.content.length + 1)) yield;
    const paths = message.content.map((_, place) => blockPath(message, index, place));
    if (message.role === 'assistant' && (reply || message.content.some(isOurs))) {
      reply ??= message.content.some(isSealed) ? new OpenedReply(inputs, names) : new SplitTurn(inputs, names);
      for (const [place, block] of message.content.entries()) {
        if (steps.isOver() || reply.isStepOver()) yield;
        reply.add(block, paths[place]!);
      }
      continue;
    }
    const results = reply ? finish(reply, turns) : NO_RESULTS;
    reply = undefined;
    if (results.length === 0) turns.push({ ...message, paths });
    else if (message.role === 'user') {
      // They stand before those of the caller's tools.
      const before = results.map(() => `messages.${index}`);
      turns.push({ role: 'user', content: [...results, ...message.content], paths: [...before, ...paths] });
    } else turns.push({ role: 'user', content: results }, { ...message, paths });
  }
  const results = reply ? finish(reply, turns) : NO_RESULTS;
  if (results.length > 0) turns.push({ role: 'user', content: results });
  return turns;
}

const NO_RESULTS: readonly ToolResultBlock[] = [];

/** @returns the results of the last turn, which stand before what the caller says next */
function finish(reply: OpenedReply | SplitTurn, turns: Message[]): readonly ToolResultBlock[] {
  const { turns: told, results } = reply.finish();
  append(turns, told);
  return results;
}

/** What the assistant said at a stretch in the chat format, where the uses are sealed. */
class OpenedReply {
  private readonly reply = new SealedReply();

  constructor(
    private readonly inputs: RecallInputs,
    private readonly names: UniqueNames,
  ) {}

  add(block: ContentBlock, path: string): void {
    if (!isSealed(block)) return this.reply.add(block, path);
    const opened = this.inputs.opened.get(block);
    if (!isJsonObject(opened)) return;
    const use = opened as SealedUse;
    this.reply.addUse({ ...use, name: this.names.of(use.name) }, path);
  }

  /** What was sealed is words already. */
  isStepOver(): boolean {
    return false;
  }

  finish(): SplitReply {
    return this.reply.finish();
  }
}

/** The same in the Messages format, where calls and results stand as blocks. */
class SplitTurn {
  private readonly turns: Message[] = [];
  private blocks: ContentBlock[] = [];
  private paths: string[] = [];
  private results: ToolResultBlock[] = [];
  /** Ids of the gateway's calls in the blocks, and of those of them that have their results. */
  private readonly asked = new Set<string>();
  private readonly answered = new Set<string>();
  /** Told since the step began. */
  private characters = 0;

  constructor(
    private readonly inputs: RecallInputs,
    private readonly names: UniqueNames,
  ) {}

  /** Asked between two blocks: when it is, a step has begun. */
  isStepOver(): boolean {
    if (this.characters < STEP_CHARACTERS) return false;
    this.characters = 0;
    return true;
  }

  add(block: ContentBlock, path: string): void {
    const value = ownValue(block);
    // Of the chat format: here it would be told to a provider.
    if (isSealed(block)) return;
    if (!value) this.push(block, path);
    else if (isOurId(value['tool_use_id'])) this.addResult(value);
    else this.addCall(value, path);
  }

  finish(): SplitReply {
    this.dropUnanswered();
    const { results, turns } = this;
    this.results = [];
    this.endTurn();
    return { turns, results };
  }

  private push(block: ContentBlock, path: string): void {
    if (this.results.length > 0) this.endTurn();
    this.blocks.push(block);
    this.paths.push(path);
  }

  private addCall(value: JsonObject, path: string): void {
    const { id, name, input = {} } = value;
    if (this.asked.has(id as string)) return;
    const known = this.names.of(typeof name === 'string' ? name : '');
    this.push({ type: 'tool-use', id: id as string, name: known, input, ...markerOf(value) }, path);
    this.asked.add(id as string);
  }

  private addResult(value: JsonObject): void {
    const id = value['tool_use_id'] as string;
    if (!this.asked.has(id) || this.answered.has(id)) return;
    this.answered.add(id);
    this.results.push(this.resultOf(value));
  }

  private endTurn(): void {
    this.dropUnanswered();
    if (this.blocks.length > 0) this.turns.push({ role: 'assistant', content: this.blocks, paths: this.paths });
    if (this.results.length > 0) this.turns.push({ role: 'user', content: this.results });
    this.blocks = [];
    this.paths = [];
    this.results = [];
    this.asked.clear();
    this.answered.clear();
  }

  /** Calls that nothing answers were not run. */
  private dropUnanswered(): void {
    if (this.answered.size === this.asked.size) return;
    const isKept = (block: ContentBlock): boolean =>
      block.type !== 'tool-use' || !isOurId(block.id) || this.answered.has(block.id);
    this.paths = this.paths.filter((_, place) => isKept(this.blocks[place]!));
    this.blocks = this.blocks.filter(isKept);
  }

  private resultOf(value: JsonObject): ToolResultBlock {
    const { type, tool_use_id: id, content = null } = value;
    const tool = this.inputs.tools.get(type as string);
    const open = (part: JsonObject): Json | undefined => this.inputs.opened.get(part);
    const text = tool?.recall(content, open) ?? UNKNOWN_RESULT;
    this.characters += text.length;
    const result = { text, isError: tool?.isFailure(content) === true, sources: tool?.recallSources?.(content, open) };
    return { ...toolResult(id as string, result), ...markerOf(value) };
  }
}

/** Of a tool that this gateway does not have, or has no more. */
const UNKNOWN_RESULT = 'What this tool brought is not known any more.';

const isOurs = (block: ContentBlock): boolean => isSealed(block) || ownValue(block) !== undefined;

const isOurId = (id: Json | undefined): boolean => typeof id === 'string' && id.startsWith(SERVER_TOOL_USE_PREFIX);

/** A call of the gateway's tools, or its result, in the Messages format. */
function ownValue(block: ContentBlock): JsonObject | undefined {
  if (block.type !== 'opaque' || block.opaque.vendor !== 'anthropic') return undefined;
  const { value } = block.opaque;
  const isCall = value['type'] === 'server_tool_use' && isOurId(value['id']);
  return isCall || isOurId(value['tool_use_id']) ? value : undefined;
}

const isSealed = (block: ContentBlock): block is RedactedThinkingBlock =>
  block.type === 'redacted-thinking' && block.mark?.format === GATEWAY_TOOLS;

/** Of a block that was carried as it came; its schema has been judged. */
function markerOf({ cache_control: marker }: JsonObject): Pick<ToolUseBlock, 'cacheMarker'> {
  return isJsonObject(marker) ? { cacheMarker: readCacheMarker(marker as unknown as WireCacheControl) } : {};
}

const partsOf = (content: Json | undefined): readonly Json[] =>
  Array.isArray(content) ? (content as readonly Json[]) : content === undefined ? [] : [content];
