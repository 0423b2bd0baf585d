import type { JsonObject } from '../json/json.js';
import { estimateInSteps, estimateTokens, sizeOf } from '../money/estimate.js';
import { StepCounter, TextStepCounter, type Steps } from '../steps.js';
import { blockPath, type ContentBlock, type Message, type ToolResultBlock, type ToolUseBlock } from './content.js';
import { CLEAR_THINKING, type ClearThinking, type ClearToolUses, type ContextEdit } from './context-edits.js';
import type { ModelRequest } from './request.js';

/** The result of an edit, in the form of its vendor. */
export type AppliedEdit = JsonObject & {
  readonly type: ContextEdit['type'];
  /** Estimated. */
  readonly cleared_input_tokens: number;
};

/** A request after its edits. */
export interface ClearedContext {
  readonly request: ModelRequest;
  /** The edits that changed something, in their order. */
  readonly applied: readonly AppliedEdit[];
}

/** Text that the model receives in place of a cleared result. Our own text: the vendor does not publish its own. */
export const CLEARED_RESULT = '[tool result cleared]';

/**
 * Clears old tool results and old reasoning from a conversation, one edit after another. Calls stay, with results that
 * contain only a placeholder; reasoning is removed in whole blocks. Cleared content is not cleared again. Pure.
 */
export function* clearContext(original: ModelRequest, edits: readonly ContextEdit[]): Steps<ClearedContext> {
  let request = original;
  const applied: AppliedEdit[] = [];
  for (const edit of edits) {
    const cleared =
      edit.type === CLEAR_THINKING ? yield* clearThinking(request.messages, edit) : yield* clearToolUses(request, edit);
    if (!cleared) continue;
    request = { ...request, messages: cleared.messages };
    applied.push(cleared.applied);
  }
  return { request, applied };
}

interface Cleared {
  readonly messages: readonly Message[];
  readonly applied: AppliedEdit;
}

interface AnsweredUse {
  readonly use: ToolUseBlock;
  readonly result: ToolResultBlock;
}

function* clearToolUses(request: ModelRequest, edit: ClearToolUses): Steps<Cleared | undefined> {
  const uses = yield* listUses(request.messages);
  const old = uses.slice(0, Math.max(0, uses.length - edit.keep)).filter(({ use }) => !edit.excluded.has(use.name));
  if (old.length === 0 || !(yield* isPastTrigger(request, edit, uses.length))) return undefined;
  const changes = new Changes();
  let count = 0;
  for (const { use, result } of old) {
    if (changes.isStepOver()) yield;
    const clearsInput = typeof edit.inputs === 'boolean' ? edit.inputs : edit.inputs.has(use.name);
    const isCleared = changes.put(result, withoutContent(result));
    if ((clearsInput && changes.put(use, withoutInput(use))) || isCleared) count++;
  }
  const tokens = changes.clearedTokens;
  if (count === 0 || tokens < edit.clearAtLeast) return undefined;
  return {
    messages: yield* changes.madeTo(request.messages),
    applied: { type: edit.type, cleared_tool_uses: count, cleared_input_tokens: tokens },
  };
}

/** Uses with their results, in the order of the results. */
function* listUses(messages: readonly Message[]): Steps<readonly AnsweredUse[]> {
  const steps = new StepCounter();
  const open = new Map<string, ToolUseBlock>();
  const uses: AnsweredUse[] = [];
  for (const { content } of messages) {
    for (const block of content) {
      if (steps.isOver()) yield;
      if (block.type === 'tool-use') open.set(block.id, block);
      const use = block.type === 'tool-result' ? open.get(block.toolUseId) : undefined;
      if (use) uses.push({ use, result: block as ToolResultBlock });
    }
  }
  return uses;
}

function* isPastTrigger(request: ModelRequest, { trigger }: ClearToolUses, uses: number): Steps<boolean> {
  if (trigger.type === 'tool_uses') return uses > trigger.value;
  return (yield* estimateInSteps(request)) > trigger.value;
}

// New values without their origin, which still contains the cleared content.

const withoutContent = ({ origin: _origin, ...result }: ToolResultBlock): ToolResultBlock => ({
  ...result,
  content: [{ type: 'text', text: CLEARED_RESULT }],
});

const withoutInput = ({ origin: _origin, ...use }: ToolUseBlock): ToolUseBlock => ({ ...use, input: {} });

/**
 * Reasoning is counted by turns of the assistant: everything between two questions of the user. A message that consists
 * of reasoning alone stays, because it would become empty.
 */
function* clearThinking(messages: readonly Message[], { type, keep }: ClearThinking): Steps<Cleared | undefined> {
  if (keep === undefined || keep === Infinity) return undefined;
  const turns = yield* turnsWithThinking(messages);
  const changes = new Changes();
  let count = 0;
  for (const turn of turns.slice(0, Math.max(0, turns.length - keep))) {
    let isCleared = false;
    for (const { content } of turn) {
      if (changes.isStepOver()) yield;
      const thoughts = content.filter(isThinking);
      if (thoughts.length === content.length) continue;
      for (const block of thoughts) changes.remove(block);
      isCleared ||= thoughts.length > 0;
    }
    if (isCleared) count++;
  }
  if (count === 0) return undefined;
  return {
    messages: yield* changes.madeTo(messages),
    applied: { type, cleared_thinking_turns: count, cleared_input_tokens: changes.clearedTokens },
  };
}

/** The messages with reasoning, by turn. */
function* turnsWithThinking(messages: readonly Message[]): Steps<readonly (readonly Message[])[]> {
  const steps = new StepCounter();
  const turns: Message[][] = [];
  let turn: Message[] | undefined;
  for (const message of messages) {
    if (steps.isOver(message.content.length)) yield;
    if (message.role === 'user' && !message.content.some(({ type }) => type === 'tool-result')) turn = undefined;
    if (message.role !== 'assistant' || !message.content.some(isThinking)) continue;
    if (!turn) turns.push((turn = []));
    turn.push(message);
  }
  return turns;
}

const isThinking = ({ type }: ContentBlock): boolean => type === 'thinking' || type === 'redacted-thinking';

/** The changes to blocks, and the tokens that they save. */
class Changes {
  private readonly left = new Map<ContentBlock, readonly ContentBlock[]>();
  private readonly steps = new TextStepCounter();
  private bytes = 0;
  private tokens = 0;
  /** Since the last call of `isStepOver`. */
  private measured = 0;

  get clearedTokens(): number {
    return estimateTokens(this.bytes) + this.tokens;
  }

  isStepOver(): boolean {
    const { measured } = this;
    this.measured = 0;
    return this.steps.isOver(measured);
  }

  remove(block: ContentBlock): void {
    const { bytes, tokens } = sizeOf(block);
    this.save(bytes, tokens);
    this.left.set(block, []);
  }

  /** @returns false where nothing would be saved: the block stays unchanged */
  put(block: ContentBlock, shorter: ContentBlock): boolean {
    const { bytes, tokens } = sizeOf(block);
    const saved = bytes - sizeOf(shorter).bytes;
    this.measured += bytes;
    if (saved <= 0 && tokens === 0) return false;
    this.save(saved, tokens);
    this.left.set(block, [shorter]);
    return true;
  }

  /** Changed messages lose their origin, and record the original paths of their blocks. */
  *madeTo(messages: readonly Message[]): Steps<readonly Message[]> {
    const made: Message[] = [];
    for (const [index, message] of messages.entries()) {
      if (this.steps.isOver(message.content.length)) yield;
      made.push(message.content.some((block) => this.left.has(block)) ? this.changed(message, index) : message);
    }
    return made;
  }

  private changed(message: Message, index: number): Message {
    const { origin: _origin, ...rest } = message;
    const content: ContentBlock[] = [];
    const paths: string[] = [];
    for (const [blockIndex, block] of message.content.entries()) {
      for (const left of this.left.get(block) ?? [block]) {
        content.push(left);
        paths.push(blockPath(message, index, blockIndex));
      }
    }
    return { ...rest, content, paths };
  }

  private save(bytes: number, tokens: number): void {
    this.measured += bytes;
    this.bytes += bytes;
    this.tokens += tokens;
  }
}
