import type { ContentBlock, Message, ToolResultBlock } from '../../core/conversation/content.js';
import type { WebCitation } from '../../core/conversation/web-citation.js';
import type { Json, JsonObject } from '../../core/json/json.js';

/**
 * Separates texts of one reply in the chat format that had other blocks in between: the format has one text for all.
 */
export const BETWEEN_TEXTS = '\n\n';

/**
 * The result of one use of the gateway's tools, as its seal stores it. The field names are stored in callers'
 * conversations: they cannot change.
 */
export interface SealedUse extends JsonObject {
  readonly id: string;
  readonly name: string;
  readonly input: Json;
  readonly text: string;
  readonly isError: boolean;
  /** The number of the step within the reply, from 1. */
  readonly step: number;
  /** The step also called tools of the caller. */
  readonly isShared: boolean;
  /** The text of the step, as `textIn` returns it. */
  readonly said: string;
  /** Number of reasoning blocks of the reply, up to the end of the step. */
  readonly thoughts: number;
  /** Pages that the text is based on. Absent: none, or it was sealed by a release that did not store them. */
  readonly sources?: readonly SealedSource[];
}

/** A page as `WebCitation` has it, without a position. */
export interface SealedSource extends JsonObject {
  readonly url: string;
}

/** The turns of a reply, and the results that precede the caller's next turn. */
export interface SplitReply {
  readonly turns: readonly Message[];
  readonly results: readonly ToolResultBlock[];
}

/** A block, and its path in the caller's request. */
interface PathedBlock<Block = ContentBlock> {
  readonly block: Block;
  readonly path: string;
}

/** All text of a turn, as the chat format prints it. */
export function textIn({ content }: Message): string {
  let text = '';
  let isInterrupted = false;
  for (const block of content) {
    if (block.type === 'text') text += isInterrupted && text !== '' ? BETWEEN_TEXTS + block.text : block.text;
    isInterrupted = block.type !== 'text';
  }
  return text;
}

/** Number of reasoning blocks of a turn that the chat format prints in order. */
export const countReasoningBlocks = ({ content }: Message): number =>
  content.filter((block) => isThought(block) && !block.mark?.isOfText).length;

/**
 * Restores the steps of a reply of the chat format that a caller sends back. The format has all reasoning first, then
 * the results of the gateway's tools, then all text as one, and the caller's calls. What was left out for its length,
 * or changed by the caller, stays with the last step.
 */
export class SealedReply {
  private readonly reasoningBlocks: PathedBlock[] = [];
  private readonly rest: PathedBlock[] = [];
  private readonly shared: PathedBlock<SealedUse>[] = [];
  private readonly ids = new Set<string>();
  private readonly steps = new Map<number, PathedBlock<SealedUse>[]>();

  add(block: ContentBlock, path: string): void {
    (isThought(block) ? this.reasoningBlocks : this.rest).push({ block, path });
  }

  addUse(use: SealedUse, path: string): void {
    const { id, isShared, step } = use;
    // Clients that assemble a stream repeat some entries.
    if (this.ids.has(id)) return;
    this.ids.add(id);
    const uses = isShared ? this.shared : (this.steps.get(step) ?? []);
    if (!isShared) this.steps.set(step, uses);
    uses.push({ block: use, path });
  }

  finish(): SplitReply {
    const turns: Message[] = [];
    let shown = 0;
    for (const uses of this.steps.values()) {
      const [{ block: use }] = uses as [PathedBlock<SealedUse>];
      const reasoningBlocks = this.reasoningBlocks.slice(shown, use.thoughts);
      shown = Math.max(shown, use.thoughts);
      turns.push(turnOf([...reasoningBlocks, ...this.takeWords(use.said), ...uses.map(callOf)]));
      turns.push({ role: 'user', content: uses.map(resultOf) });
    }
    const isCall = ({ block }: PathedBlock): boolean => block.type === 'tool-use';
    const others = this.rest.filter((placed) => !isCall(placed));
    const last = [
      ...this.reasoningBlocks.slice(shown),
      ...others,
      ...this.shared.map(callOf),
      ...this.rest.filter(isCall),
    ];
    if (last.length > 0) turns.push(turnOf(last));
    return { turns, results: this.shared.map(resultOf) };
  }

  /** The text of a step, where the remaining text begins with it. */
  private takeWords(words: string): PathedBlock[] {
    const index = this.rest.findIndex(({ block }) => block.type === 'text');
    const { block, path } = this.rest[index] ?? {};
    if (words === '' || block?.type !== 'text' || !block.text.startsWith(words)) return [];
    const left = block.text.slice(words.length);
    const text = left.startsWith(BETWEEN_TEXTS) ? left.slice(BETWEEN_TEXTS.length) : left;
    this.rest.splice(index, 1, ...(text === '' ? [] : [{ block: { ...block, text }, path: path! }]));
    return [{ block: { type: 'text', text: words }, path: path! }];
  }
}

const isThought = (block: ContentBlock) => block.type === 'thinking' || block.type === 'redacted-thinking';

const turnOf = (placed: readonly PathedBlock[]): Message => ({
  role: 'assistant',
  content: placed.map(({ block }) => block),
  paths: placed.map(({ path }) => path),
});

const callOf = ({ block: { id, name, input }, path }: PathedBlock<SealedUse>): PathedBlock => ({
  block: { type: 'tool-use', id, name, input },
  path,
});

const resultOf = ({ block: { id, text, isError, sources } }: PathedBlock<SealedUse>): ToolResultBlock =>
  toolResult(id, { text, isError, sources });

/** The part of a result that a model reads again, and that an answer may cite. */
export interface RecalledResult {
  readonly text: string;
  readonly isError: boolean;
  readonly sources: readonly WebCitation[] | undefined;
}

export const toolResult = (toolUseId: string, { text, isError, sources }: RecalledResult): ToolResultBlock => ({
  type: 'tool-result',
  toolUseId,
  content: [{ type: 'text', text }],
  ...(isError && { isError }),
  ...(sources && sources.length > 0 && { sources }),
});
