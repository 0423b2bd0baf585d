import { hash } from 'node:crypto';
import type { ModelRequest } from '../../core/conversation/request.js';

/** Longest tool name of the chat format (docs/wire/chat.md#tools). */
export const TOOL_NAME_MAX = 64;

const LEGAL = /^[A-Za-z0-9_-]+$/;
const LEGAL_START = /^[A-Za-z_]/;
const ILLEGAL_CHARACTERS = /[^A-Za-z0-9_-]/g;
const SUFFIX_LENGTH = 8;

/**
 * The names of one request's tools as the target takes them, and back: one to one, and the same in every turn of a
 * conversation. Names that are already legal are untouched; the others are cut and end in a hash of the whole name.
 */
export class ToolNames {
  private readonly wireOf = new Map<string, string>();
  private readonly originalOf = new Map<string, string>();

  constructor(
    request: ModelRequest,
    private readonly max = TOOL_NAME_MAX,
    /** The target wants names to begin with a letter or `_`. */
    private readonly startsWithLetter = false,
  ) {
    const illegal = new Set<string>();
    const legal = new Set<string>();
    for (const name of namesIn(request)) (this.isLegal(name) ? legal : illegal).add(name);
    for (const name of illegal) this.assign(name, legal);
  }

  /** What the target is told. */
  toWire(name: string): string {
    return this.wireOf.get(name) ?? name;
  }

  /** What the caller calls it. A name that was never mapped is returned as it is. */
  toOriginal(wireName: string): string {
    return this.originalOf.get(wireName) ?? wireName;
  }

  private isLegal(name: string): boolean {
    return name.length <= this.max && LEGAL.test(name) && this.isLegalStart(name);
  }

  private isLegalStart(name: string): boolean {
    return !this.startsWithLetter || LEGAL_START.test(name);
  }

  private assign(name: string, legal: ReadonlySet<string>): void {
    const lead = this.isLegalStart(name) ? name : `_${name}`;
    const stem = lead.slice(0, this.max - SUFFIX_LENGTH - 1).replace(ILLEGAL_CHARACTERS, '_');
    // A caller may name a tool like a mapped one; the next hash is then taken until the name is free.
    for (let attempt = 0; ; attempt++) {
      const salted = attempt === 0 ? name : `${name}\u0000${attempt}`;
      const wireName = `${stem}_${hash('sha256', salted).slice(0, SUFFIX_LENGTH)}`;
      if (legal.has(wireName) || this.originalOf.has(wireName)) continue;
      this.wireOf.set(name, wireName);
      this.originalOf.set(wireName, name);
      return;
    }
  }
}

function* namesIn(request: ModelRequest): Generator<string> {
  for (const tool of request.tools) if (tool.type === 'function') yield tool.name;
  if (request.toolChoice?.type === 'tool') yield request.toolChoice.name;
  for (const message of request.messages) {
    for (const block of message.content) {
      if (block.type === 'tool-use') yield block.name;
      else if (block.type === 'tool-result') {
        for (const inner of block.content) if (inner.type === 'tool-reference') yield inner.toolName;
      }
    }
  }
}
