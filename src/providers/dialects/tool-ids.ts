import { hash } from 'node:crypto';
import type { Message } from '../../core/conversation/content.js';

/** Which ids of tool calls a target takes. */
export interface ToolIdRule {
  isLegal(id: string): boolean;
  /** A legal id in the place of another; of the same text always the same. */
  standIn(text: string): string;
}

/**
 * The ids of one conversation's tool calls as the target takes them: one to one, and the same in every turn. Those it
 * takes are untouched, whoever made them.
 */
export class ToolIds {
  private readonly wireOf = new Map<string, string>();

  constructor(messages: readonly Message[], rule: ToolIdRule) {
    const illegal = new Set<string>();
    const taken = new Set<string>();
    for (const id of toolIdsIn(messages)) (rule.isLegal(id) ? taken : illegal).add(id);
    for (const id of illegal) this.assign(id, rule, taken);
  }

  toWire(id: string): string {
    return this.wireOf.get(id) ?? id;
  }

  private assign(id: string, rule: ToolIdRule, taken: Set<string>): void {
    for (let attempt = 0; ; attempt++) {
      const wireId = rule.standIn(attempt === 0 ? id : `${id}\u0000${attempt}`);
      if (taken.has(wireId)) continue;
      taken.add(wireId);
      this.wireOf.set(id, wireId);
      return;
    }
  }
}

const SUFFIX_LENGTH = 8;

/** Letters and digits alone, exactly as many, all of them hash. @param length of 9 characters on, 54 bits of it */
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

/** Those of calls and of results, each as often as it is there. */
export function* toolIdsIn(messages: readonly Message[]): Generator<string> {
  for (const { content } of messages) {
    for (const block of content) {
      if (block.type === 'tool-use') yield block.id;
      else if (block.type === 'tool-result') yield block.toolUseId;
    }
  }
}

/**
 * The ids of a reply's calls: the provider's, or one of our own where it gave none or one that stands for another call
 * already, since vendors refuse a conversation with two of them. The same when the reply is read again.
 */
export class UniqueToolIds {
  /** Of the conversation and this reply; undefined before the first call. */
  private used: Set<string> | undefined;
  private calls = 0;

  constructor(private readonly messages: readonly Message[]) {}

  take(given: string | undefined): string {
    this.used ??= new Set(toolIdsIn(this.messages));
    const own = `call_${this.messages.length}_${this.calls++}`;
    let id = given ?? own;
    for (let attempt = 0; this.used.has(id); attempt++) id = attempt === 0 ? own : `${own}_${attempt}`;
    this.used.add(id);
    return id;
  }
}
