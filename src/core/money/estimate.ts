import type { ContentBlock, ToolReferenceBlock } from '../conversation/content.js';
import type { ModelRequest } from '../conversation/request.js';

// Estimates, for replies whose provider says nothing of its usage (FAILURES D17): about four bytes of UTF-8 make a token in the
// vocabularies in use. They are marked `estimated` wherever they go, and never serve as a bound.
const BYTES_PER_TOKEN = 4;
/** What a message or tool costs besides its text: role, separators, name. */
const FRAME_TOKENS = 4;
/** An image or document, whatever its size: its bytes say nothing of its tokens. */
const MEDIUM_TOKENS = 1_000;

/** About how many tokens a text of this many UTF-8 bytes has. */
export function estimateTokens(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}

/** About how many tokens a request's prompt has, at least one. */
export function estimateInputTokens(request: ModelRequest): number {
  let bytes = 0;
  let others = 1;
  for (const block of request.system) bytes += Buffer.byteLength(block.text);
  for (const tool of request.tools) {
    bytes += Buffer.byteLength(JSON.stringify(tool));
    others += FRAME_TOKENS;
  }
  for (const message of request.messages) {
    others += FRAME_TOKENS;
    for (const block of message.content) {
      const size = sizeOf(block);
      bytes += size.bytes;
      others += size.tokens;
    }
  }
  return estimateTokens(bytes) + others;
}

interface Size {
  readonly bytes: number;
  readonly tokens: number;
}

const MEDIUM: Size = { bytes: 0, tokens: MEDIUM_TOKENS };

function sizeOf(block: ContentBlock | ToolReferenceBlock): Size {
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
