import { StringDecoder } from 'node:string_decoder';
import type {
  ContentBlock,
  DocumentBlock,
  MediaSource,
  Message,
  ToolResultContent,
} from '../../core/conversation/content.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import type { Json } from '../../core/json/json.js';
import { unescapeJsonInSteps } from '../../core/json/unescape-json.js';
import { printInPieces } from '../../core/json/print-in-pieces.js';
import { StepCounter, type Steps } from '../../core/steps.js';
import { PIECE } from '../../core/yield-to-event-loop.js';
import { decoded } from '../../tools/parse-file/file-bytes.js';
import type { ModerationInput, JudgedText } from './engine.js';

/** The parts of a request that are judged, and the number of those that are not. */
export interface RequestTexts extends ModerationInput {
  /** Documents, audio and video, and pictures beyond what the engine takes. */
  readonly unread: number;
}

/**
 * All texts of a request, the newest turn first: the instructions and every turn, since a caller can write any of them.
 * Adjacent turns of one role are joined.
 */
export function* textsOf({ system, messages }: ModelRequest, picturesMax: number): Steps<RequestTexts> {
  const reading = new RequestTextReader();
  const texts: { parts: string[]; by: JudgedText['by'] }[] = [];
  for (const message of messages) {
    const last = texts.at(-1);
    const isNeighbour = last?.by === message.role;
    const parts = isNeighbour ? last.parts : [];
    if (!isNeighbour) texts.push({ parts, by: message.role });
    yield* reading.turn(message, parts);
  }
  const rules = { parts: system.map(({ text }) => text), by: 'system' as const };
  const pictures = reading.pictures.toReversed();
  return {
    of: 'request',
    texts: [...texts.reverse(), rules],
    pictures: pictures.slice(0, picturesMax),
    unread: reading.unread + Math.max(0, pictures.length - picturesMax),
  };
}

class RequestTextReader {
  readonly pictures: MediaSource[] = [];
  unread = 0;
  private readonly steps = new StepCounter();

  *turn({ content }: Message, parts: string[]): Steps<void> {
    for (const block of content) yield* this.read(block, parts);
    if (this.steps.isOver()) yield;
  }

  private *read(block: ContentBlock | ToolResultContent, parts: string[]): Steps<void> {
    if (this.steps.isOver()) yield;
    switch (block.type) {
      case 'text':
        parts.push(block.text);
        break;
      case 'thinking':
        parts.push(block.thinking);
        break;
      case 'tool-use':
        parts.push(
          yield* typeof block.input === 'string' ? unescapeJsonInSteps(block.input) : printed(block.input ?? {}),
        );
        break;
      case 'opaque':
        parts.push(yield* printed(block.opaque.value));
        break;
      case 'tool-result':
        for (const part of block.content) yield* this.read(part, parts);
        break;
      case 'search-result':
        parts.push(block.title, ...block.content.map(({ text }) => text));
        break;
      case 'image':
        this.pictures.push(block.source);
        break;
      case 'document':
        for (const text of [block.title, block.context]) if (text !== undefined) parts.push(text);
        // A model that reads no files is sent this text.
        if (block.inWords?.type === 'blocks') for (const part of block.inWords.blocks) yield* this.read(part, parts);
        yield* this.document(block.source, parts, block.inWords?.type === 'blocks');
        break;
      case 'audio':
      case 'video':
        this.unread++;
        break;
      case 'tool-reference':
      case 'redacted-thinking':
        break;
    }
  }

  private *document(source: DocumentBlock['source'], parts: string[], isInWords: boolean): Steps<void> {
    switch (source.type) {
      case 'text':
        parts.push(source.text);
        break;
      case 'blocks':
        for (const block of source.blocks) yield* this.read(block, parts);
        break;
      case 'base64':
        if (source.mediaType.startsWith('text/')) parts.push(yield* decodedText(source.data));
        else if (!isInWords) this.unread++;
        break;
      case 'url':
      case 'file':
        if (!isInWords) this.unread++;
        break;
    }
  }
}

/** A JSON value in pieces of its printed text, without escapes; no piece ends within an escape. */
function* printed(value: Json): Steps<string> {
  const words: string[] = [];
  for (const piece of printInPieces(value, PIECE)) {
    const text = piece.toString();
    words.push(yield* unescapeJsonInSteps(text));
    if (text.length >= PIECE / 2) yield;
  }
  return words.join('');
}

/** The text of a base64 file. */
function* decodedText(base64: string): Steps<string> {
  const decoder = new StringDecoder('utf8');
  const text: string[] = [];
  for (const bytes of decoded(base64)) {
    if (text.length > 0) yield;
    text.push(decoder.write(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)));
  }
  text.push(decoder.end());
  return text.join('');
}
