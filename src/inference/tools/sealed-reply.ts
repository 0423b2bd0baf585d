import type { ContentBlock, Message, ToolResultBlock } from '../../core/conversation/content.js';
import type { WebCitation } from '../../core/conversation/web-citation.js';
import type { Json, JsonObject } from '../../core/json/json.js';

/** Between texts of one reply in the chat format that something else stood between: it has one text for all. */
export const BETWEEN_TEXTS = '\n\n';

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
  /** What the step said, as `saidIn` has it. */
  readonly said: string;
  /** Pieces of reasoning of the reply, up to the end of the step. */
  readonly thoughts: number;
  /** Pages that the text stands on. Absent: on none, or sealed before they were kept. */
  readonly sources?: readonly SealedSource[];
}

/** A page as `WebCitation` has it, without a place. */
export interface SealedSource extends JsonObject {
  readonly url: string;
}

/** The turns of a reply, and the results that are to stand before what the caller says next. */
export interface SplitReply {
  readonly turns: readonly Message[];
  readonly results: readonly ToolResultBlock[];
}

/** A block, and where it stands in what the caller wrote. */
interface Placed<Block = ContentBlock> {
  readonly block: Block;
  readonly path: string;
}

/** All words of a turn, as the chat format tells them. */
export function saidIn({ content }: Message): string {
  let said = '';
  let isInterrupted = false;
  for (const block of content) {
    if (block.type === 'text') said += isInterrupted && said !== '' ? BETWEEN_TEXTS + block.text : block.text;
    isInterrupted = block.type !== 'text';
  }
  return said;
}

/** Pieces of reasoning of a turn that the chat format tells in their order. */
export const thoughtsIn = ({ content }: Message): number =>
  content.filter((block) => isThought(block) && !block.mark?.isOfText).length;

/**
 * A reply of the chat format that comes back, where all reasoning stands first, then what the gateway's tools brought,
 * then all words as one, and the caller's calls: each step gets its own again. What was left out for its length, or
 * changed by the caller, stays with the last.
 */
export class SealedReply {
  private readonly thoughts: Placed[] = [];
  private readonly rest: Placed[] = [];
  private readonly shared: Placed<SealedUse>[] = [];
  private readonly ids = new Set<string>();
  private readonly steps = new Map<number, Placed<SealedUse>[]>();

  add(block: ContentBlock, path: string): void {
    (isThought(block) ? this.thoughts : this.rest).push({ block, path });
  }

  addUse(use: SealedUse, path: string): void {
    const { id, isShared, step } = use;
    // Clients that put a stream together tell some entries twice.
    if (this.ids.has(id)) return;
    this.ids.add(id);
    const uses = isShared ? this.shared : (this.steps.get(step) ?? []);
    if (!isShared) this.steps.set(step, uses);
    uses.push({ block: use, path });
  }

  finish(): SplitReply {
    const turns: Message[] = [];
    let told = 0;
    for (const uses of this.steps.values()) {
      const [{ block: use }] = uses as [Placed<SealedUse>];
      const thoughts = this.thoughts.slice(told, use.thoughts);
      told = Math.max(told, use.thoughts);
      turns.push(turnOf([...thoughts, ...this.takeWords(use.said), ...uses.map(callOf)]));
      turns.push({ role: 'user', content: uses.map(resultOf) });
    }
    const isCall = ({ block }: Placed): boolean => block.type === 'tool-use';
    const said = this.rest.filter((placed) => !isCall(placed));
    const last = [...this.thoughts.slice(told), ...said, ...this.shared.map(callOf), ...this.rest.filter(isCall)];
    if (last.length > 0) turns.push(turnOf(last));
    return { turns, results: this.shared.map(resultOf) };
  }

  /** Words of a step, where all that is left begins with them. */
  private takeWords(said: string): Placed[] {
    const place = this.rest.findIndex(({ block }) => block.type === 'text');
    const { block, path } = this.rest[place] ?? {};
    if (said === '' || block?.type !== 'text' || !block.text.startsWith(said)) return [];
    const left = block.text.slice(said.length);
    const text = left.startsWith(BETWEEN_TEXTS) ? left.slice(BETWEEN_TEXTS.length) : left;
    this.rest.splice(place, 1, ...(text === '' ? [] : [{ block: { ...block, text }, path: path! }]));
    return [{ block: { type: 'text', text: said }, path: path! }];
  }
}

const isThought = (block: ContentBlock) => block.type === 'thinking' || block.type === 'redacted-thinking';

const turnOf = (placed: readonly Placed[]): Message => ({
  role: 'assistant',
  content: placed.map(({ block }) => block),
  paths: placed.map(({ path }) => path),
});

const callOf = ({ block: { id, name, input }, path }: Placed<SealedUse>): Placed => ({
  block: { type: 'tool-use', id, name, input },
  path,
});

const resultOf = ({ block: { id, text, isError, sources } }: Placed<SealedUse>): ToolResultBlock =>
  toolResult(id, { text, isError, sources });

/** What of a result a model is told again, and an answer may cite. */
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
