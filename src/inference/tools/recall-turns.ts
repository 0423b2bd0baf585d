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
import { readCacheMarker } from '../../core/conversation/read-cache-marker.js';
import { SealedReply, toolResult, type SealedUse, type SplitReply } from './sealed-reply.js';
import { NumberedNames } from './numbered-names.js';

/** The gateway's tools by the types of their results. */
export type ByResultType = ReadonlyMap<string, ServiceTool>;

/** Whether a conversation holds uses of the gateway's tools in earlier turns. */
export const holdsToolTurns = (messages: readonly Message[]): boolean =>
  messages.some(({ role, content }) => role === 'assistant' && content.some(isOurs));

/** The owner of a seal (a block or a part of a result), and the seal. */
export type HeldSeals = ReadonlyMap<object, string>;
/** The content of each seal; absent: the seal does not open. */
export type OpenedSeals = ReadonlyMap<object, Json>;

/** All seals that have to be opened to show models earlier uses again. */
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

/**
 * Characters that are opened or restored in one step: about a millisecond's work, beside that of one seal or result.
 */
const STEP_CHARACTERS = 256 * 1024;

/** Seals are as long as the results of tools, and a conversation has as many of them as fit into it. */
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

/** The address of a page among search results: the page's text opens beside this address alone. */
const addressOf = (holder: object): string | undefined =>
  'url' in holder && typeof holder.url === 'string' ? holder.url : undefined;

/** The dependencies of restoring a conversation. */
export interface RecallInputs {
  readonly tools: ByResultType;
  readonly opened: OpenedSeals;
  /** Names of the caller's own tools: a tool of the gateway with such a name has another one for models. */
  readonly taken: ReadonlySet<string>;
}

/**
 * The conversation as its models had it: calls of the gateway's tools and their results are turns of their own again,
 * for whatever model is called next. A result that cannot be opened is replaced by a notice of its tool, or left out;
 * so is a call without its result, and a result without its call.
 */
export function* recallTurns(messages: readonly Message[], inputs: RecallInputs): Steps<Message[]> {
  const steps = new StepCounter();
  const turns: Message[] = [];
  const names = new NumberedNames(inputs.taken);
  /** The assistant's blocks since the caller's last turn, where uses of the gateway's tools are among them. */
  let reply: OpenedReply | SplitTurn | undefined;
  for (const [index, message] of messages.entries()) {
    if (steps.isOver(message.content.length + 1)) yield;
    const paths = message.content.map((_, blockIndex) => blockPath(message, index, blockIndex));
    if (message.role === 'assistant' && (reply || message.content.some(isOurs))) {
      reply ??= message.content.some(isSealed) ? new OpenedReply(inputs, names) : new SplitTurn(inputs, names);
      for (const [blockIndex, block] of message.content.entries()) {
        if (steps.isOver() || reply.isStepOver()) yield;
        reply.add(block, paths[blockIndex]!);
      }
      continue;
    }
    const results = reply ? finish(reply, turns) : NO_RESULTS;
    reply = undefined;
    if (results.length === 0) turns.push({ ...message, paths });
    else if (message.role === 'user') {
      // The results of the gateway's tools precede those of the caller's.
      const before = results.map(() => `messages.${index}`);
      turns.push({ role: 'user', content: [...results, ...message.content], paths: [...before, ...paths] });
    } else turns.push({ role: 'user', content: results }, { ...message, paths });
  }
  const results = reply ? finish(reply, turns) : NO_RESULTS;
  if (results.length > 0) turns.push({ role: 'user', content: results });
  return turns;
}

const NO_RESULTS: readonly ToolResultBlock[] = [];

/** @returns the results of the last turn, which precede the caller's next one */
function finish(reply: OpenedReply | SplitTurn, turns: Message[]): readonly ToolResultBlock[] {
  const { turns: restored, results } = reply.finish();
  append(turns, restored);
  return results;
}

/** The assistant's consecutive messages in the chat format, where the uses are sealed. */
class OpenedReply {
  private readonly reply = new SealedReply();

  constructor(
    private readonly inputs: RecallInputs,
    private readonly names: NumberedNames,
  ) {}

  add(block: ContentBlock, path: string): void {
    if (!isSealed(block)) return this.reply.add(block, path);
    const opened = this.inputs.opened.get(block);
    if (!isJsonObject(opened)) return;
    const use = opened as SealedUse;
    this.reply.addUse({ ...use, name: this.names.of(use.name) }, path);
  }

  /** The sealed content is text already. */
  isStepOver(): boolean {
    return false;
  }

  finish(): SplitReply {
    return this.reply.finish();
  }
}

/** Splits a turn of the Messages format, in which calls and results are blocks. */
class SplitTurn {
  private readonly turns: Message[] = [];
  private blocks: ContentBlock[] = [];
  private paths: string[] = [];
  private results: ToolResultBlock[] = [];
  /** Ids of the gateway's calls in the blocks, and of those that have their results. */
  private readonly calledIds = new Set<string>();
  private readonly answered = new Set<string>();
  /** Restored since the step began. */
  private characters = 0;

  constructor(
    private readonly inputs: RecallInputs,
    private readonly names: NumberedNames,
  ) {}

  /** Between two blocks: when it is true, a step has begun. */
  isStepOver(): boolean {
    if (this.characters < STEP_CHARACTERS) return false;
    this.characters = 0;
    return true;
  }

  add(block: ContentBlock, path: string): void {
    const value = ownValue(block);
    // A block of the chat format: the Messages format would send it to a provider.
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
    if (this.calledIds.has(id as string)) return;
    const known = this.names.of(typeof name === 'string' ? name : '');
    this.push({ type: 'tool-use', id: id as string, name: known, input, ...markerOf(value) }, path);
    this.calledIds.add(id as string);
  }

  private addResult(value: JsonObject): void {
    const id = value['tool_use_id'] as string;
    if (!this.calledIds.has(id) || this.answered.has(id)) return;
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
    this.calledIds.clear();
    this.answered.clear();
  }

  /** Calls without a result were not run. */
  private dropUnanswered(): void {
    if (this.answered.size === this.calledIds.size) return;
    const isKept = (block: ContentBlock): boolean =>
      block.type !== 'tool-use' || !isOurId(block.id) || this.answered.has(block.id);
    this.paths = this.paths.filter((_, index) => isKept(this.blocks[index]!));
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

/** A tool that this gateway does not have, or no longer has. */
const UNKNOWN_RESULT = 'The result of this tool can no longer be read.';

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

/** A block that was carried as it came; its schema has been checked. */
function markerOf({ cache_control: marker }: JsonObject): Pick<ToolUseBlock, 'cacheMarker'> {
  return isJsonObject(marker) ? { cacheMarker: readCacheMarker(marker) } : {};
}

const partsOf = (content: Json | undefined): readonly Json[] =>
  Array.isArray(content) ? (content as readonly Json[]) : content === undefined ? [] : [content];
