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

/** Opened or told in one step, in characters: about a millisecond's work, beside that of one seal or result. */
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

/**
 * The conversation as its models had it: calls of the gateway's tools and their results are turns of their own again,
 * for whatever model is asked next. What cannot be opened any more is told so by its tool, or left out.
 */
export function* recallTurns(messages: readonly Message[], tools: ByResultType, opened: OpenedSeals): Steps<Message[]> {
  const steps = new StepCounter();
  const turns: Message[] = [];
  /** Results that stand before those of the caller's tools. */
  let pending: ToolResultBlock[] = [];
  for (const [index, message] of messages.entries()) {
    if (steps.isOver(message.content.length + 1)) yield;
    const paths = message.content.map((_, place) => blockPath(message, index, place));
    if (message.role === 'assistant' && message.content.some(isOurs)) {
      if (pending.length > 0) turns.push({ role: 'user', content: pending });
      const split = new SplitTurn(tools, opened);
      for (const [place, block] of message.content.entries()) {
        if (steps.isOver() || split.isStepOver()) yield;
        split.add(block, paths[place]!);
      }
      pending = split.finish(turns);
    } else if (pending.length > 0 && message.role === 'user') {
      const before = pending.map(() => `messages.${index}`);
      turns.push({ role: 'user', content: [...pending, ...message.content], paths: [...before, ...paths] });
      pending = [];
    } else {
      turns.push({ ...message, paths });
    }
  }
  if (pending.length > 0) turns.push({ role: 'user', content: pending });
  return turns;
}

/** One reply of the gateway's, as the turns that it was made of. */
class SplitTurn {
  private readonly turns: Message[] = [];
  private blocks: ContentBlock[] = [];
  private paths: string[] = [];
  private results: ToolResultBlock[] = [];
  /** Of calls that stand among those of the caller's tools. */
  private readonly shared: ToolResultBlock[] = [];
  /** Told since the step began. */
  private characters = 0;

  constructor(
    private readonly tools: ByResultType,
    private readonly opened: OpenedSeals,
  ) {}

  /** Asked between two blocks: when it is, a step has begun. */
  isStepOver(): boolean {
    if (this.characters < STEP_CHARACTERS) return false;
    this.characters = 0;
    return true;
  }

  add(block: ContentBlock, path: string): void {
    if (isSealed(block)) {
      const use = this.opened.get(block);
      if (isJsonObject(use)) this.addSealed(use as SealedUse, path);
      return;
    }
    const value = ownValue(block);
    if (value && isOurId(value['tool_use_id'])) this.results.push(this.resultOf(value));
    else this.push(value ? callOf(value) : block, path);
  }

  /** @returns the results of its last turn, where they are to stand before what the caller says next */
  finish(turns: Message[]): ToolResultBlock[] {
    const results = [...this.results, ...this.shared];
    this.results = [];
    // Calls that nothing answers were not run.
    const answered = new Set(results.map(({ toolUseId }) => toolUseId));
    const isKept = (block: ContentBlock): boolean =>
      block.type !== 'tool-use' || !isOurId(block.id) || answered.has(block.id);
    this.paths = this.paths.filter((_, place) => isKept(this.blocks[place]!));
    this.blocks = this.blocks.filter(isKept);
    this.endTurn();
    for (const turn of this.turns) turns.push(turn);
    return results;
  }

  private push(block: ContentBlock, path: string): void {
    if (this.results.length > 0) this.endTurn();
    this.blocks.push(block);
    this.paths.push(path);
  }

  /** Of the chat format, where all that was said is one message, and the uses stand before it. */
  private addSealed({ id, name, input, text, isError, isShared }: SealedUse, path: string): void {
    const call: ToolUseBlock = { type: 'tool-use', id, name, input };
    const result = toolResult(id, text, isError);
    if (isShared) {
      this.blocks.push(call);
      this.paths.push(path);
      this.shared.push(result);
    } else {
      this.turns.push({ role: 'assistant', content: [call], paths: [path] }, { role: 'user', content: [result] });
    }
  }

  private endTurn(): void {
    if (this.blocks.length > 0) this.turns.push({ role: 'assistant', content: this.blocks, paths: this.paths });
    if (this.results.length > 0) this.turns.push({ role: 'user', content: this.results });
    this.blocks = [];
    this.paths = [];
    this.results = [];
  }

  private resultOf({ type, tool_use_id: id, content = null }: JsonObject): ToolResultBlock {
    const tool = this.tools.get(type as string);
    const text = tool ? tool.recall(content, (part) => this.opened.get(part)) : '';
    this.characters += text.length;
    return toolResult(id as string, text, isFailure(content));
  }
}

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

function callOf({ id, name, input = {} }: JsonObject): ToolUseBlock {
  return { type: 'tool-use', id: id as string, name: typeof name === 'string' ? name : '', input };
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
