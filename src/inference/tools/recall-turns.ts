import {
  blockPath,
  type ContentBlock,
  type Message,
  type RedactedThinkingBlock,
  type ToolResultBlock,
  type ToolUseBlock,
} from '../../core/conversation/content.js';
import { GATEWAY_TOOLS } from '../../core/conversation/reasoning-mark.js';
import { SERVER_TOOL_USE_PREFIX } from '../../core/ids.js';
import { isJsonObject, type Json, type JsonObject } from '../../core/json/json.js';
import { StepCounter, type Steps } from '../../core/steps.js';
import type { ServiceTool } from '../../core/tool.js';
import { readCacheMarker, type WireCacheControl } from '../read-cache-marker.js';
import { uniqueName } from './unique-name.js';

/** What the gateway's tools brought in one use, as its seal tells it. */
export interface SealedUse extends JsonObject {
  readonly id: string;
  readonly name: string;
  readonly input: Json;
  readonly text: string;
  readonly isError: boolean;
  /** From 1, of the reply. */
  readonly step: number;
  /** The same step called the caller's tools. */
  readonly isShared: boolean;
}

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

/** Opened in one step, in characters: about a millisecond's work, beside that of one seal. */
const STEP_CHARACTERS = 256 * 1024;

/** Seals are as long as what tools brought, and a conversation has as many of them as it has room for. */
export function* openSeals(seals: HeldSeals, open: (sealed: string) => Json | undefined): Steps<OpenedSeals> {
  const opened = new Map<object, Json>();
  const steps = new StepCounter();
  let characters = 0;
  for (const [holder, sealed] of seals) {
    if (steps.isOver() || characters > STEP_CHARACTERS) {
      yield;
      characters = 0;
    }
    characters += sealed.length;
    const value = open(sealed);
    if (value !== undefined) opened.set(holder, value);
  }
  return opened;
}

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
  /** What the assistant has said since the caller last spoke, where the gateway's tools are part of it. */
  let split: SplitTurn | undefined;
  for (const [index, message] of messages.entries()) {
    if (steps.isOver(message.content.length + 1)) yield;
    const paths = message.content.map((_, place) => blockPath(message, index, place));
    if (message.role === 'assistant' && (split || message.content.some(isOurs))) {
      split ??= new SplitTurn(inputs);
      for (const [place, block] of message.content.entries()) {
        if (steps.isOver()) yield;
        split.add(block, paths[place]!);
      }
      continue;
    }
    const pending = split?.finish(turns) ?? NO_RESULTS;
    split = undefined;
    if (pending.length === 0) turns.push({ ...message, paths });
    else if (message.role === 'user') {
      // They stand before those of the caller's tools.
      const before = pending.map(() => `messages.${index}`);
      turns.push({ role: 'user', content: [...pending, ...message.content], paths: [...before, ...paths] });
    } else turns.push({ role: 'user', content: pending }, { ...message, paths });
  }
  const pending = split?.finish(turns) ?? NO_RESULTS;
  if (pending.length > 0) turns.push({ role: 'user', content: pending });
  return turns;
}

const NO_RESULTS: readonly ToolResultBlock[] = [];

/** What the assistant said at a stretch, as the turns that it was made of. */
class SplitTurn {
  private readonly turns: Message[] = [];
  private blocks: ContentBlock[] = [];
  private paths: string[] = [];
  private results: ToolResultBlock[] = [];
  /** Of calls that stand among those of the caller's tools. */
  private readonly shared: ToolResultBlock[] = [];
  /** Ids of the gateway's calls in the blocks, and of those of them that have their results. */
  private readonly asked = new Set<string>();
  private readonly answered = new Set<string>();
  /** Which step the sealed uses in the blocks belong to. */
  private sealedStep: number | undefined;

  constructor(private readonly inputs: RecallInputs) {}

  add(block: ContentBlock, path: string): void {
    if (isSealed(block)) {
      const use = this.inputs.opened.get(block);
      if (isJsonObject(use)) this.addSealed(use as SealedUse, path);
      return;
    }
    const value = ownValue(block);
    if (!value) this.push(block, path);
    else if (isOurId(value['tool_use_id'])) this.addResult(value);
    else this.addCall({ ...callOf(value), name: this.nameOf(value['name']) }, path);
  }

  /** @returns the results of its last turn, which stand before what the caller says next */
  finish(turns: Message[]): readonly ToolResultBlock[] {
    this.dropUnanswered();
    const results = [...this.results, ...this.shared];
    this.results = [];
    this.endTurn();
    for (const turn of this.turns) turns.push(turn);
    return results;
  }

  private push(block: ContentBlock, path: string): void {
    if (this.results.length > 0) this.endTurn();
    this.blocks.push(block);
    this.paths.push(path);
  }

  private addCall(call: ToolUseBlock, path: string): void {
    if (this.asked.has(call.id)) return;
    this.push(call, path);
    this.asked.add(call.id);
  }

  private addResult(value: JsonObject): void {
    const id = value['tool_use_id'] as string;
    if (!this.asked.has(id) || this.answered.has(id)) return;
    this.answered.add(id);
    this.results.push(this.resultOf(value));
  }

  /**
   * Of the chat format, where all that was said is one message, and the uses stand among the reasoning before it: what
   * was reasoned in a step comes before the step's uses.
   */
  private addSealed({ id, name, input, text, isError, isShared, step }: SealedUse, path: string): void {
    if (this.asked.has(id)) return;
    if ((isShared || this.sealedStep !== step) && this.results.length > 0) this.endTurn();
    this.sealedStep = step;
    this.blocks.push({ type: 'tool-use', id, name: this.nameOf(name), input });
    this.paths.push(path);
    this.asked.add(id);
    this.answered.add(id);
    (isShared ? this.shared : this.results).push(toolResult(id, text, isError));
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

  private nameOf(name: Json | undefined): string {
    return uniqueName(typeof name === 'string' ? name : '', this.inputs.taken);
  }

  private resultOf(value: JsonObject): ToolResultBlock {
    const { type, tool_use_id: id, content = null } = value;
    const tool = this.inputs.tools.get(type as string);
    const text = tool?.recall(content, (part) => this.inputs.opened.get(part)) ?? UNKNOWN_RESULT;
    return { ...toolResult(id as string, text, isFailure(content)), ...markerOf(value) };
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

const callOf = (value: JsonObject): Omit<ToolUseBlock, 'name'> => ({
  type: 'tool-use',
  id: value['id'] as string,
  input: value['input'] ?? {},
  ...markerOf(value),
});

/** Of a block that was carried as it came; its schema has been judged. */
function markerOf({ cache_control: marker }: JsonObject): Pick<ToolUseBlock, 'cacheMarker'> {
  return isJsonObject(marker) ? { cacheMarker: readCacheMarker(marker as unknown as WireCacheControl) } : {};
}

const toolResult = (toolUseId: string, text: string, isError: boolean): ToolResultBlock => ({
  type: 'tool-result',
  toolUseId,
  content: [{ type: 'text', text }],
  ...(isError && { isError }),
});

/** In the words of any of the tools. */
function isFailure(content: Json): boolean {
  if (!isJsonObject(content)) return false;
  const { type, status, error, error_code: code } = content;
  return (
    error !== undefined ||
    code !== undefined ||
    status === 'failed' ||
    status === 'error' ||
    (typeof type === 'string' && type.endsWith('_error'))
  );
}

const partsOf = (content: Json | undefined): readonly Json[] =>
  Array.isArray(content) ? (content as readonly Json[]) : content === undefined ? [] : [content];
