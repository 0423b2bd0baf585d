import { hash } from 'node:crypto';
import type { ModelRequest } from '../../core/conversation/request.js';
import type { DecodeContext } from '../../core/provider.js';
import { doAtOnce, StepCounter, type Steps } from '../../core/steps.js';

/** Longest tool name of the chat format (docs/use/chat.md#tools). */
export const TOOL_NAME_MAX = 64;

/** Limits of a format on the names of tools, besides their characters. */
export interface ToolNameRules {
  /** Maximum number of characters of a name, unless the provider has a separate maximum; absent: `TOOL_NAME_MAX`. */
  readonly nameMax?: number;
  /** Names begin with a letter or `_`. */
  readonly namesStartWithLetter?: boolean;
}

const LEGAL = /^[A-Za-z0-9_-]+$/;
const LEGAL_START = /^[A-Za-z_]/;
const ILLEGAL_CHARACTERS = /[^A-Za-z0-9_-]/g;
const SUFFIX_LENGTH = 8;

/**
 * Maps the names of one request's tools to those of the target, and back. The mapping is one to one and the same in
 * every turn of a conversation, because it depends on nothing later. Legal names are unchanged, unless a mapped name
 * equals them. Other names are cut and end in a hash of the whole name.
 */
export class ToolNames {
  /** Mapped names of requests with tools: every attempt and every reader of its answer uses them. */
  private static readonly known = new WeakMap<ModelRequest, ToolNames[]>();

  /** For requests without tools. */
  static readonly NONE = new ToolNames(TOOL_NAME_MAX, false);

  private readonly wireOf = new Map<string, string>();
  private readonly originalOf = new Map<string, string>();

  private constructor(
    private readonly max: number,
    private readonly startsWithLetter: boolean,
  ) {}

  /** @param startsWithLetter the target requires names to begin with a letter or `_` */
  static *of(request: ModelRequest, max = TOOL_NAME_MAX, startsWithLetter = false): Steps<ToolNames> {
    const known = ToolNames.known.get(request);
    const like = known?.find((former) => former.max === max && former.startsWithLetter === startsWithLetter);
    if (like) return like;
    const names = new ToolNames(max, startsWithLetter);
    const steps = new StepCounter();
    for (const name of namesIn(request)) {
      if (!names.wireOf.has(name)) names.assign(name);
      if (steps.isOver()) yield;
    }
    if (names.wireOf.size > 0) ToolNames.known.set(request, [...(known ?? []), names]);
    return names;
  }

  /** The target's name of a tool. */
  toWire(name: string): string {
    return this.wireOf.get(name) ?? name;
  }

  /** The caller's name of a tool. A name that was never mapped is returned unchanged. */
  toOriginal(wireName: string): string {
    return this.originalOf.get(wireName) ?? wireName;
  }

  private isLegal(name: string): boolean {
    return name.length <= this.max && LEGAL.test(name) && this.isLegalStart(name);
  }

  private isLegalStart(name: string): boolean {
    return !this.startsWithLetter || LEGAL_START.test(name);
  }

  private assign(name: string): void {
    if (this.isLegal(name) && !this.originalOf.has(name)) return this.take(name, name);
    const lead = this.isLegalStart(name) ? name : `_${name}`;
    const stem = lead.slice(0, this.max - SUFFIX_LENGTH - 1).replace(ILLEGAL_CHARACTERS, '_');
    // An earlier name may equal the mapped one; further hashes are tried until one is free.
    for (let attempt = 0; ; attempt++) {
      const salted = attempt === 0 ? name : `${name}\u0000${attempt}`;
      const wireName = `${stem}_${hash('sha256', salted).slice(0, SUFFIX_LENGTH)}`;
      if (!this.originalOf.has(wireName)) return this.take(name, wireName);
    }
  }

  private take(name: string, wireName: string): void {
    this.wireOf.set(name, wireName);
    this.originalOf.set(wireName, name);
  }
}

/** Maps the names of one call, in the same way for encoder and decoder. */
export const mapToolNames = ({ request, target }: DecodeContext, rules: ToolNameRules = {}): Steps<ToolNames> =>
  ToolNames.of(request, target.definition.quirks.toolNameMax ?? rules.nameMax, rules.namesStartWithLetter);

/** The names for the decoder: they were mapped when the request was encoded. */
export const toolNamesOf = (context: DecodeContext, rules?: ToolNameRules): ToolNames =>
  doAtOnce(mapToolNames(context, rules));

function* namesIn(request: ModelRequest): Generator<string> {
  for (const tool of request.tools) if (tool.type === 'function') yield tool.name;
  for (const message of request.messages) {
    for (const block of message.content) {
      if (block.type === 'tool-use') yield block.name;
      else if (block.type === 'tool-result') {
        for (const inner of block.content) if (inner.type === 'tool-reference') yield inner.toolName;
      }
    }
  }
  // The choice changes from turn to turn, so it comes last.
  if (request.toolChoice?.type === 'tool') yield request.toolChoice.name;
}
