import {
  blockPath,
  type ContentBlock,
  type Message,
  type TextBlock,
  type ToolResultBlock,
  type ToolResultContent,
} from '../../core/conversation/content.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import { estimateInSteps, estimateMessages } from '../../core/money/estimate.js';
import { StepCounter, TextStepCounter, type Steps } from '../../core/steps.js';
import { cutMiddle } from './cut-middle.js';
import { listUnits, type Unit } from './units.js';

/** The limits that a conversation has to fit. */
export interface ContextLimits {
  /** Tokens of the whole prompt, by estimate. */
  readonly tokensMax: number;
  readonly messagesMax: number;
}

/** A conversation without its middle. */
export interface Shortened {
  readonly messages: readonly Message[];
  /** Number of texts whose middle was cut, not counting messages that were removed whole. */
  readonly cut: number;
}

/**
 * Removes whole turns from the middle, tool calls together with their results. Keeps the longest beginning and end that
 * fit, adding to the shorter side first, and always the last user turn and the last turn. Where these alone do not fit,
 * their longest texts lose their middle. Pure.
 * @returns undefined where everything fits, or where no permitted cut makes it fit
 */
export function* middleOut(
  request: ModelRequest,
  { tokensMax, messagesMax }: ContextLimits,
): Steps<Shortened | undefined> {
  const { messages } = request;
  const sizes = yield* estimateMessages(messages);
  const room = tokensMax - (yield* estimateInSteps({ ...request, messages: [] }));
  if (sumOf(sizes) <= room && messages.length <= messagesMax) return undefined;
  const units = yield* listUnits(messages, sizes);
  const indexes = withBeginning(yield* keepEnds(units, { tokensMax: room, messagesMax }), messages);
  const left = yield* atNewIndexes(indexes, messages);
  const over = sumOf(indexes.map((index) => sizes[index]!)) - room;
  return over <= 0 ? { messages: left, cut: 0 } : yield* cutTexts(left, over);
}

/** Messages at their new indexes. They keep the original paths of their blocks, which errors name. */
function* atNewIndexes(indexes: readonly number[], messages: readonly Message[]): Steps<readonly Message[]> {
  const steps = new StepCounter();
  const left: Message[] = [];
  for (const index of indexes) {
    const message = messages[index]!;
    if (steps.isOver(message.content.length + 1)) yield;
    const isMoved = index !== left.length && !message.paths;
    left.push(isMoved ? { ...message, paths: message.content.map((_, at) => blockPath(message, index, at)) } : message);
  }
  return left;
}

/** The indexes of messages of the kept units, in order. */
function* keepEnds(units: readonly Unit[], { tokensMax, messagesMax }: ContextLimits): Steps<readonly number[]> {
  const last = units.length - 1;
  const question = units.findLastIndex(({ startsWithUser }) => startsWithUser);
  const kept = new Set(question === -1 ? [last] : [question, last]);
  let tokens = 0;
  const first = new ConversationEnd(0, 1, Math.floor(messagesMax / 2));
  const end = new ConversationEnd(last, -1, Math.ceil(messagesMax / 2));
  for (const index of kept) {
    tokens += units[index]!.tokens;
    end.count(units[index]!);
  }
  const steps = new StepCounter();
  for (;;) {
    if (steps.isOver()) yield;
    const side = end.isOpen && (!first.isOpen || end.tokens < first.tokens) ? end : first;
    if (!side.isOpen) break;
    const unit = units[side.next];
    if (!unit || (kept.has(side.next) && side === first && side.next === last)) side.isOpen = false;
    else if (kept.has(side.next)) side.move();
    else if (tokens + unit.tokens > tokensMax || !side.canTake(unit)) side.isOpen = false;
    else {
      kept.add(side.next);
      tokens += unit.tokens;
      side.count(unit);
      side.move();
    }
  }
  const indexes: number[] = [];
  for (const [index, { from, to }] of units.entries()) {
    if (steps.isOver(kept.has(index) ? to - from : 1)) yield;
    if (kept.has(index)) for (let messageIndex = from; messageIndex < to; messageIndex++) indexes.push(messageIndex);
  }
  return indexes;
}

/** The beginning or the end of the conversation, from which units are kept inwards. */
class ConversationEnd {
  isOpen = true;
  tokens = 0;
  private messages = 0;

  constructor(
    public next: number,
    private readonly step: 1 | -1,
    private readonly messagesMax: number,
  ) {}

  canTake({ from, to }: Unit): boolean {
    return this.messages + to - from <= this.messagesMax;
  }

  count({ from, to, tokens }: Unit): void {
    this.messages += to - from;
    this.tokens += tokens;
  }

  move(): void {
    this.next += this.step;
  }
}

/**
 * Keeps a user turn first where the conversation began with one: vendors refuse others. @param left indexes of messages
 */
function withBeginning(left: readonly number[], all: readonly Message[]): readonly number[] {
  const isUsers = ({ role }: Message): boolean => role === 'user';
  if (left.length === all.length || all.find(({ role }) => role !== 'system')?.role !== 'user') return left;
  const first = left.findIndex((index) => all[index]!.role !== 'system');
  if (first === -1 || isUsers(all[left[first]!]!)) return left;
  const question = left.findIndex((index) => isUsers(all[index]!) && !holdsResults(all[index]!));
  return question === -1 ? left : [...left.slice(0, first), ...left.slice(question)];
}

const holdsResults = ({ content }: Message): boolean => content.some(({ type }) => type === 'tool-result');

/** Fewest bytes that a cut text keeps. Chosen. */
const TEXT_BYTES_MIN = 256;
const BYTES_PER_TOKEN = 4;

/**
 * Cuts the longest texts to one common length. Each is read once.
 * @param over tokens by which the messages exceed the limit
 */
function* cutTexts(kept: readonly Message[], over: number): Steps<Shortened | undefined> {
  const texts = yield* listTexts(kept);
  // One token more for each message: the size of the shortened message is rounded up again.
  const bytesMax = yield* lengthThatSaves([...texts.values()], (over + kept.length) * BYTES_PER_TOKEN);
  if (bytesMax === undefined) return undefined;
  const shorter = new Map<TextBlock, TextBlock>();
  const cutting = new TextStepCounter();
  for (const [block, bytes] of texts) {
    if (cutting.isOver(Math.min(bytes, bytesMax))) yield;
    if (bytes <= bytesMax) continue;
    const { origin: _origin, ...text } = block;
    shorter.set(block, { ...text, text: cutMiddle(text.text, bytesMax) });
  }
  const steps = new StepCounter();
  const messages: Message[] = [];
  for (const message of kept) messages.push(yield* withTexts(message, shorter, steps));
  return { messages, cut: shorter.size };
}

/** Texts of users and tools, with their bytes. Texts of models are never cut. */
function* listTexts(messages: readonly Message[]): Steps<ReadonlyMap<TextBlock, number>> {
  const steps = new TextStepCounter();
  const texts = new Map<TextBlock, number>();
  for (const { role, content } of messages) {
    if (steps.isOver()) yield;
    if (role !== 'user') continue;
    for (const block of content) {
      for (const part of block.type === 'tool-result' ? block.content : [block]) {
        const bytes = part.type === 'text' ? Buffer.byteLength(part.text) : 0;
        if (part.type === 'text') texts.set(part, bytes);
        if (steps.isOver(bytes)) yield;
      }
    }
  }
  return texts;
}

/**
 * The longest length that saves the needed bytes when every text is cut to it; undefined where no permitted length
 * does.
 */
function* lengthThatSaves(sizes: readonly number[], needed: number): Steps<number | undefined> {
  const saves = (level: number): boolean => {
    let saved = 0;
    for (const size of sizes) if (size > level) saved += size - level;
    return saved >= needed;
  };
  if (!saves(TEXT_BYTES_MIN)) return undefined;
  let level = TEXT_BYTES_MIN;
  // The length of the longest text saves nothing.
  let beyond = sizes.reduce((longest, size) => Math.max(longest, size), 0);
  while (beyond - level > 1) {
    yield;
    const middle = Math.floor((level + beyond) / 2);
    if (saves(middle)) level = middle;
    else beyond = middle;
  }
  return level;
}

/** Drops the origins of what is changed: they hold the whole text. */
function* withTexts(message: Message, shorter: ReadonlyMap<TextBlock, TextBlock>, steps: StepCounter): Steps<Message> {
  const shortened = <Part extends ToolResultContent | ContentBlock>(part: Part): Part | TextBlock =>
    (part.type === 'text' ? shorter.get(part) : undefined) ?? part;
  const content: ContentBlock[] = [];
  let isCut = false;
  for (const block of message.content) {
    if (steps.isOver(block.type === 'tool-result' ? block.content.length + 1 : 1)) yield;
    const left = block.type === 'tool-result' ? withParts(block, shortened) : shortened(block);
    isCut ||= left !== block;
    content.push(left);
  }
  if (!isCut) return message;
  const { origin: _origin, ...rest } = message;
  return { ...rest, content };
}

function withParts(block: ToolResultBlock, shortened: (part: ToolResultContent) => ToolResultContent): ToolResultBlock {
  const parts = block.content.map(shortened);
  if (parts.every((part, index) => part === block.content[index])) return block;
  const { origin: _origin, ...result } = block;
  return { ...result, content: parts };
}

const sumOf = (sizes: readonly number[]): number => sizes.reduce((sum, size) => sum + size, 0);
