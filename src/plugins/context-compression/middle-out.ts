import type { Message, TextBlock } from '../../core/conversation/content.js';
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
  const over = sumOf(isTold.map(estimateMessageTokens)) - room;
  if (over <= 0) return { messages: isTold, cut: 0 };
  return cutTexts(isTold, room);
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

/** Bytes that a cut text keeps at least, and how often texts are cut: each time the longest. Chosen. */
const TEXT_BYTES_MIN = 256;
const CUTS_MAX = 64;
const BYTES_PER_TOKEN = 4;

function cutTexts(kept: readonly Message[], room: number): Shortened | undefined {
  const messages = [...kept];
  const sizes = messages.map(estimateMessageTokens);
  for (let cut = 1; cut <= CUTS_MAX; cut++) {
    const over = sumOf(sizes) - room;
    const longest = findLongest(messages);
    if (!longest || longest.bytes <= TEXT_BYTES_MIN) return undefined;
    const { at, block, bytes } = longest;
    messages[at] = withText(
      messages[at]!,
      block,
      cutMiddle(block.text, Math.max(TEXT_BYTES_MIN, bytes - (over + 2) * BYTES_PER_TOKEN)),
    );
    sizes[at] = estimateMessageTokens(messages[at]);
    if (sumOf(sizes) <= room) return { messages, cut };
  }
  return undefined;
}

interface FoundText {
  readonly at: number;
  readonly block: TextBlock;
  readonly bytes: number;
}

/** Of what users and tools said: what a model said is its own. */
function findLongest(messages: readonly Message[]): FoundText | undefined {
  let found: FoundText | undefined;
  const look = (at: number, block: TextBlock): void => {
    const bytes = Buffer.byteLength(block.text);
    if (!found || bytes > found.bytes) found = { at, block, bytes };
  };
  for (const [at, { role, content }] of messages.entries()) {
    if (role !== 'user') continue;
    for (const block of content) {
      if (block.type === 'text') look(at, block);
      if (block.type !== 'tool-result') continue;
      for (const part of block.content) if (part.type === 'text') look(at, part);
    }
  }
  return found;
}

/** Without the words that it came in: they hold the whole text. */
function withText({ origin: _origin, ...message }: Message, block: TextBlock, keep: string): Message {
  const { origin: _wire, ...rest } = block;
  const shorter: TextBlock = { ...rest, text: keep };
  const content = message.content.map((other) => {
    if (other === block) return shorter;
    if (other.type !== 'tool-result' || !other.content.includes(block)) return other;
    const { origin: _result, ...result } = other;
    return { ...result, content: result.content.map((part) => (part === block ? shorter : part)) };
  });
  return { ...message, content };
}

const sumOf = (sizes: readonly number[]): number => sizes.reduce((sum, size) => sum + size, 0);
