import type { ContentBlock, Message, TextBlock, ToolResultContent } from '../../core/conversation/content.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import { estimateFrameTokens, estimateMessageTokens } from '../../core/money/estimate.js';
import { cutMiddle } from './cut-middle.js';
import { listUnits, type Unit } from './units.js';

/** What there is room for. */
export interface Room {
  /** Of the whole prompt, as it is estimated. */
  readonly tokensMax: number;
  readonly messagesMax: number;
}

/** A conversation without its middle. */
export interface Shortened {
  readonly messages: readonly Message[];
  /** How many texts had their middle cut out, beside what was left out whole. */
  readonly cut: number;
}

/**
 * Leaves whole turns out of the middle, calls of tools together with their results: what is kept is the longest
 * beginning and end that there is room for, the shorter side first, and always the last turn of the user and the last
 * turn. Where these alone have no room, the longest of their texts lose their middle. Pure.
 * @returns undefined where all has room, or nothing that may be done makes it fit
 */
export function middleOut(request: ModelRequest, { tokensMax, messagesMax }: Room): Shortened | undefined {
  const { messages } = request;
  const sizes = messages.map(estimateMessageTokens);
  const room = tokensMax - estimateFrameTokens(request);
  if (sumOf(sizes) <= room && messages.length <= messagesMax) return undefined;
  const kept = keepEnds(listUnits(messages, sizes), { tokensMax: room, messagesMax });
  const left = kept.flatMap(({ from, to }) => messages.slice(from, to));
  const isTold = withBeginning(left, messages);
  // All of it is measured once: it may be megabytes.
  const sizeOf = new Map(messages.map((message, place) => [message, sizes[place]!]));
  const over = sumOf(isTold.map((message) => sizeOf.get(message)!)) - room;
  return over <= 0 ? { messages: isTold, cut: 0 } : cutTexts(isTold, over);
}

/** The units that stay, in their order. */
function keepEnds(units: readonly Unit[], { tokensMax, messagesMax }: Room): readonly Unit[] {
  const last = units.length - 1;
  const asked = units.findLastIndex(({ isAsked }) => isAsked);
  const kept = new Set(asked === -1 ? [last] : [asked, last]);
  let tokens = 0;
  const sides = [new Side(0, 1, Math.floor(messagesMax / 2)), new Side(last, -1, Math.ceil(messagesMax / 2))] as const;
  for (const index of kept) {
    tokens += units[index]!.tokens;
    sides[1].count(units[index]!);
  }
  for (;;) {
    const side = sides.filter(({ isOpen }) => isOpen).sort((one, other) => one.tokens - other.tokens)[0];
    if (!side) break;
    const unit = units[side.next];
    if (!unit || (kept.has(side.next) && side === sides[0] && side.next === last)) side.isOpen = false;
    else if (kept.has(side.next)) side.move();
    else if (tokens + unit.tokens > tokensMax || !side.hasPlace(unit)) side.isOpen = false;
    else {
      kept.add(side.next);
      tokens += unit.tokens;
      side.count(unit);
      side.move();
    }
  }
  return units.filter((_, index) => kept.has(index));
}

/** One of both ends, from which units are kept inwards. */
class Side {
  isOpen = true;
  tokens = 0;
  private messages = 0;

  constructor(
    public next: number,
    private readonly step: 1 | -1,
    private readonly messagesMax: number,
  ) {}

  hasPlace({ from, to }: Unit): boolean {
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

/** A conversation that began with its user still does: vendors refuse others. */
function withBeginning(left: readonly Message[], all: readonly Message[]): readonly Message[] {
  const isUsers = ({ role }: Message): boolean => role === 'user';
  if (left.length === all.length || all.find(({ role }) => role !== 'system')?.role !== 'user') return left;
  const first = left.findIndex((message) => message.role !== 'system');
  if (first === -1 || isUsers(left[first]!)) return left;
  const asked = left.findIndex((message) => isUsers(message) && !holdsResults(message));
  return asked === -1 ? left : [...left.slice(0, first), ...left.slice(asked)];
}

export const holdsResults = ({ content }: Message): boolean => content.some(({ type }) => type === 'tool-result');

/** Bytes that a cut text keeps at least. Chosen. */
const TEXT_BYTES_MIN = 256;
const BYTES_PER_TOKEN = 4;

/**
 * The longest texts lose their middle, all down to one length: each is read once, however many there are.
 * @param over tokens that have no room
 */
function cutTexts(kept: readonly Message[], over: number): Shortened | undefined {
  const texts = listTexts(kept);
  // What is left of each message is rounded up once more.
  const bytesMax = lengthThatSaves([...texts.values()], (over + kept.length) * BYTES_PER_TOKEN);
  if (bytesMax === undefined) return undefined;
  const shorter = new Map<TextBlock, TextBlock>();
  for (const [block, bytes] of texts) {
    if (bytes <= bytesMax) continue;
    const { origin: _origin, ...text } = block;
    shorter.set(block, { ...text, text: cutMiddle(text.text, bytesMax) });
  }
  return { messages: kept.map((message) => withTexts(message, shorter)), cut: shorter.size };
}

/** Of what users and tools said, with their bytes: what a model said is its own. */
function listTexts(messages: readonly Message[]): ReadonlyMap<TextBlock, number> {
  const texts = new Map<TextBlock, number>();
  for (const { role, content } of messages) {
    if (role !== 'user') continue;
    for (const block of content) {
      for (const part of block.type === 'tool-result' ? block.content : [block]) {
        if (part.type === 'text') texts.set(part, Buffer.byteLength(part.text));
      }
    }
  }
  return texts;
}

/** The most bytes that texts may have so that so many are saved of them; undefined: no length that may be does. */
function lengthThatSaves(sizes: readonly number[], needed: number): number | undefined {
  const longest = [...sizes].sort((one, other) => other - one);
  let sum = 0;
  for (const [index, size] of longest.entries()) {
    sum += size;
    const level = Math.floor((sum - needed) / (index + 1));
    // Texts that are shorter than that lose nothing.
    if (level >= (longest[index + 1] ?? 0)) return level >= TEXT_BYTES_MIN ? level : undefined;
  }
  return undefined;
}

/** Without the words that what changes came in: they hold the whole text. */
function withTexts(message: Message, shorter: ReadonlyMap<TextBlock, TextBlock>): Message {
  let isCut = false;
  const shortened = <Part extends ToolResultContent | ContentBlock>(part: Part): Part | TextBlock => {
    const left = part.type === 'text' ? shorter.get(part) : undefined;
    isCut ||= left !== undefined;
    return left ?? part;
  };
  const content = message.content.map((block) => {
    if (block.type !== 'tool-result') return shortened(block);
    const { origin: _origin, ...result } = block;
    const parts = block.content.map(shortened);
    return parts.every((part, place) => part === block.content[place]) ? block : { ...result, content: parts };
  });
  if (!isCut) return message;
  const { origin: _origin, ...rest } = message;
  return { ...rest, content };
}

const sumOf = (sizes: readonly number[]): number => sizes.reduce((sum, size) => sum + size, 0);
