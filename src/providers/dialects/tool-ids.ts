import { hash } from 'node:crypto';
import type { Message, ToolResultBlock, ToolUseBlock } from '../../core/conversation/content.js';
import { doAtOnce, StepCounter, type Steps } from '../../core/steps.js';

/** Ids of tool calls that a target accepts. No target accepts an empty id. */
export interface ToolIdRule {
  isLegal(id: string): boolean;
  /** A legal id instead of another; the same text always gives the same id. */
  standIn(text: string): string;
}

/** Takes any id unchanged, and makes none. */
const UNTOUCHED: ToolIdRule = { isLegal: () => true, standIn: (text) => text };

/** A call of a tool, or the result of one. */
type ToolBlock = ToolUseBlock | ToolResultBlock;

/**
 * Maps the ids of one conversation's tool calls to those of the target. Each call has a different id, which its result
 * shares. An id stays the same in every turn, because it depends on nothing later. Ids that the target takes are
 * unchanged, except one that already stands for another call, which vendors refuse.
 */
export class ToolIds {
  /**
   * Mapped ids of conversations with calls, for each rule: every attempt of a request and every reader of its answer
   * uses them.
   */
  private static readonly known = new WeakMap<readonly Message[], Map<ToolIdRule, ToolIds>>();

  /** For conversations without calls. */
  static readonly NONE = new ToolIds();

  /** The target's id of the first call with an id, and of its results. */
  private readonly firstOf = new Map<string, string>();
  /**
   * Ids of later calls with the same id, and of their results. There are seldom any, and objects are expensive keys.
   */
  private readonly laterOf = new Map<ToolBlock, string>();

  private constructor() {}

  static *of(messages: readonly Message[], rule: ToolIdRule): Steps<ToolIds> {
    const known = ToolIds.known.get(messages)?.get(rule);
    if (known) return known;
    const blocks = toolBlocksIn(messages);
    if (blocks.length === 0) return ToolIds.NONE;
    const ids = new ToolIds();
    yield* ids.map(blocks, rule);
    const ofRules = ToolIds.known.get(messages) ?? new Map<ToolIdRule, ToolIds>();
    ToolIds.known.set(messages, ofRules.set(rule, ids));
    return ids;
  }

  /** The ids as mapped by any of the rules. */
  static anyOf(messages: readonly Message[]): ToolIds {
    for (const ids of ToolIds.known.get(messages)?.values() ?? []) return ids;
    return doAtOnce(ToolIds.of(messages, UNTOUCHED));
  }

  /** Whether a call or a result of the conversation has this id in the caller's request. */
  has(id: string): boolean {
    return this.firstOf.has(id);
  }

  toWire(block: ToolBlock): string {
    const id = idOf(block);
    return (this.laterOf.size > 0 ? this.laterOf.get(block) : undefined) ?? this.firstOf.get(id) ?? id;
  }

  private *map(blocks: readonly ToolBlock[], rule: ToolIdRule): Steps<void> {
    const taken = new Set<string>();
    const latestOf = new Map<string, FreeId>();
    const steps = new StepCounter();
    for (const block of blocks) {
      if (steps.isOver()) yield;
      const id = idOf(block);
      if (!this.firstOf.has(id)) {
        const { wireId } = freeId(id, 0, rule, taken);
        this.firstOf.set(id, wireId);
        taken.add(wireId);
        continue;
      }
      let latest = latestOf.get(id);
      if (block.type === 'tool-use') {
        latest = freeId(id, latest?.attempts ?? 0, rule, taken);
        latestOf.set(id, latest);
        taken.add(latest.wireId);
      }
      if (latest) this.laterOf.set(block, latest.wireId);
    }
  }
}

interface FreeId {
  readonly wireId: string;
  /** Stand-ins tried for this id so far: the next call with the same id continues from there. */
  readonly attempts: number;
}

function freeId(id: string, tried: number, rule: ToolIdRule, taken: ReadonlySet<string>): FreeId {
  if (id !== '' && !taken.has(id) && rule.isLegal(id)) return { wireId: id, attempts: tried };
  for (let attempts = tried; ; attempts++) {
    const wireId = rule.standIn(attempts === 0 ? id : `${id}\u0000${attempts}`);
    if (!taken.has(wireId)) return { wireId, attempts: attempts + 1 };
  }
}

const SUFFIX_LENGTH = 8;

/**
 * A hash in letters and digits.
 * @param length exact number of characters; from 9 on the hash has 54 bits
 */
export function alphanumericId(text: string, length: number): string {
  let id = '';
  for (let part = 0; id.length < length; part++) {
    const hashed = part === 0 ? text : `${text}\u0000${part}`;
    id += hash('sha256', hashed, 'base64').replace(/[+/=]/g, '');
  }
  return id.slice(0, length);
}

/** Letters, digits, `_` and `-` of the text, and a part of its hash; at most `max` characters. */
export function hashedId(text: string, max: number): string {
  const stem = text.slice(0, max - SUFFIX_LENGTH - 1).replace(/[^\w-]/g, '_');
  return `${stem}_${hash('sha256', text).slice(0, SUFFIX_LENGTH)}`;
}

/** Calls and results in order. An array: a conversation may have very many, and a generator is slower. */
export function toolBlocksIn(messages: readonly Message[]): readonly ToolBlock[] {
  const blocks: ToolBlock[] = [];
  for (const { content } of messages) {
    for (const block of content) if (block.type === 'tool-use' || block.type === 'tool-result') blocks.push(block);
  }
  return blocks;
}

const idOf = (block: ToolBlock): string => (block.type === 'tool-use' ? block.id : block.toolUseId);

/**
 * The ids of a reply's calls: the provider's own, or generated ones where it gives none or repeats one, since vendors
 * refuse a conversation with a repeated id. Reading the reply again gives the same ids.
 */
export class UniqueToolIds {
  /** Ids of the conversation; undefined before the first call. */
  private earlier: ToolIds | undefined;
  private readonly used = new Set<string>();
  private calls = 0;

  /** @param prefix of generated ids */
  constructor(
    private readonly messages: readonly Message[],
    private readonly prefix = 'call',
  ) {}

  take(stated: string | undefined): string {
    const own = `${this.prefix}_${this.messages.length}_${this.calls++}`;
    let id = stated ?? own;
    for (let attempt = 0; this.isTaken(id); attempt++) id = attempt === 0 ? own : `${own}_${attempt}`;
    this.used.add(id);
    return id;
  }

  private isTaken(id: string): boolean {
    this.earlier ??= ToolIds.anyOf(this.messages);
    return this.used.has(id) || this.earlier.has(id);
  }
}
