import type { ContentBlock, Message, ToolReferenceBlock } from '../conversation/content.js';
import type { ModelRequest } from '../conversation/request.js';
import { TextStepCounter, type Steps } from '../steps.js';

// Estimates for replies whose provider reports no usage (docs/contribute/ledger.md#what-each-ending-costs): in the
// vocabularies in use, a token has about four bytes of UTF-8. They are marked `estimated` everywhere, and never serve
// as a bound.
const BYTES_PER_TOKEN = 4;
/** The cost of a message or tool besides its text: role, separators, name. */
const FRAME_TOKENS = 4;
/** For an image or document of any size, because its bytes do not indicate its tokens. */
const MEDIUM_TOKENS = 1_000;

/** Size of a picture that a model drew, as bytes of text. */
export const DRAWN_BYTES = MEDIUM_TOKENS * BYTES_PER_TOKEN;

/** Estimates the tokens of a text of this many UTF-8 bytes. */
export function estimateTokens(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}

/** Estimates the tokens of a request's prompt, at least one. */
export function estimateInputTokens(request: ModelRequest): number {
  const estimate = new InputEstimate();
  for (const size of listSizes(request)) estimate.add(size);
  return estimate.tokens;
}

/** `estimateInputTokens` in steps. */
export function* estimateInSteps(request: ModelRequest): Steps<number> {
  const estimate = new InputEstimate();
  const steps = new TextStepCounter();
  for (const size of listSizes(request)) {
    estimate.add(size);
    if (steps.isOver(size.bytes)) yield;
  }
  return estimate.tokens;
}

/** Estimates the tokens of each message. */
export function* estimateMessages(messages: readonly Message[]): Steps<readonly number[]> {
  const steps = new TextStepCounter();
  const estimates: number[] = [];
  for (const { content } of messages) {
    const estimate = new InputEstimate(FRAME_TOKENS);
    if (steps.isOver()) yield;
    for (const block of content) {
      const size = sizeOf(block);
      estimate.add(size);
      if (steps.isOver(size.bytes)) yield;
    }
    estimates.push(estimate.tokens);
  }
  return estimates;
}

/** The sizes of the parts of a prompt, each measured on demand. */
export function* listSizes(request: ModelRequest): Generator<Size> {
  for (const block of request.system) yield textSize(block.text);
  for (const tool of request.tools) yield { bytes: Buffer.byteLength(JSON.stringify(tool)), tokens: FRAME_TOKENS };
  if (request.task?.kind === 'embeddings')
    for (const ids of request.task.tokens ?? []) yield { bytes: 0, tokens: ids.length };
  for (const message of request.messages) {
    yield { bytes: 0, tokens: FRAME_TOKENS };
    for (const block of message.content) yield sizeOf(block);
  }
}

/** Sums up the estimate of a prompt. */
export class InputEstimate {
  private bytes = 0;
  private others: number;

  /** @param least tokens of an empty prompt: one at least */
  constructor(least = 1) {
    this.others = least;
  }

  add({ bytes, tokens }: Size): void {
    this.bytes += bytes;
    this.others += tokens;
  }

  get tokens(): number {
    return estimateTokens(this.bytes) + this.others;
  }
}

/** The size of a part of a prompt. */
export interface Size {
  /** UTF-8 bytes of text. */
  readonly bytes: number;
  /** Tokens of all other content. */
  readonly tokens: number;
}

const MEDIUM: Size = { bytes: 0, tokens: MEDIUM_TOKENS };

/** The size of one block, including the blocks in it. */
export function sizeOf(block: ContentBlock | ToolReferenceBlock): Size {
  switch (block.type) {
    case 'text':
      return textSize(block.text);
    case 'thinking':
      return textSize(block.thinking);
    case 'tool-use':
      return textSize(block.name + (typeof block.input === 'string' ? block.input : JSON.stringify(block.input ?? {})));
    case 'tool-reference':
      return textSize(block.toolName);
    case 'redacted-thinking':
      return textSize(block.data);
    case 'opaque':
      return textSize(JSON.stringify(block.opaque.value));
    case 'tool-result':
    case 'search-result':
      return sumOf(block.content);
    case 'document':
      if (block.source.type === 'text') return textSize(block.source.text);
      return block.source.type === 'blocks' ? sumOf(block.source.blocks) : MEDIUM;
    case 'image':
    case 'audio':
    case 'video':
      return MEDIUM;
  }
}

function sumOf(blocks: readonly (ContentBlock | ToolReferenceBlock)[]): Size {
  let bytes = 0;
  let tokens = 0;
  for (const block of blocks) {
    const size = sizeOf(block);
    bytes += size.bytes;
    tokens += size.tokens;
  }
  return { bytes, tokens };
}

const textSize = (text: string): Size => ({ bytes: Buffer.byteLength(text), tokens: 0 });
