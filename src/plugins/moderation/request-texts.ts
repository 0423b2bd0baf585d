import type {
  ContentBlock,
  DocumentBlock,
  MediaSource,
  Message,
  ToolResultContent,
} from '../../core/conversation/content.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import { printJson } from '../../core/json/json.js';
import { plainWords } from '../../core/json/plain-words.js';
import type { Judged, JudgedText } from './engine.js';

/** What of a request is judged, and what nobody reads. */
export interface RequestTexts extends Judged {
  /** Documents, sound and films, and pictures beyond what the engine takes. */
  readonly unread: number;
}

/**
 * All that is said in a request, the newest turn first: the instructions and every turn, since a caller can write any
 * of them. Neighbouring turns of one role are one.
 */
export function textsOf({ system, messages }: ModelRequest, picturesMax: number): RequestTexts {
  const reading = new Reading();
  const texts: { parts: string[]; by: JudgedText['by'] }[] = [];
  for (const message of messages) {
    const parts = reading.turn(message);
    const last = texts.at(-1);
    if (last?.by === message.role) last.parts.push(...parts);
    else texts.push({ parts, by: message.role });
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

class Reading {
  readonly pictures: MediaSource[] = [];
  unread = 0;

  turn({ content }: Message): string[] {
    const parts: string[] = [];
    for (const block of content) this.read(block, parts);
    return parts;
  }

  private read(block: ContentBlock | ToolResultContent, parts: string[]): void {
    switch (block.type) {
      case 'text':
        parts.push(block.text);
        break;
      case 'thinking':
        parts.push(block.thinking);
        break;
      case 'tool-use':
        parts.push(plainWords(typeof block.input === 'string' ? block.input : printJson(block.input ?? {})));
        break;
      case 'opaque':
        parts.push(plainWords(printJson(block.opaque.value)));
        break;
      case 'tool-result':
        for (const part of block.content) this.read(part, parts);
        break;
      case 'search-result':
        parts.push(block.title, ...block.content.map(({ text }) => text));
        break;
      case 'image':
        this.pictures.push(block.source);
        break;
      case 'document':
        for (const text of [block.title, block.context]) if (text !== undefined) parts.push(text);
        // A model that reads no files is sent the words.
        if (block.inWords?.type === 'blocks') for (const part of block.inWords.blocks) this.read(part, parts);
        this.document(block.source, parts, block.inWords?.type === 'blocks');
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

  private document(source: DocumentBlock['source'], parts: string[], isInWords: boolean): void {
    switch (source.type) {
      case 'text':
        parts.push(source.text);
        break;
      case 'blocks':
        for (const block of source.blocks) this.read(block, parts);
        break;
      case 'base64':
        if (source.mediaType.startsWith('text/')) parts.push(Buffer.from(source.data, 'base64').toString());
        else if (!isInWords) this.unread++;
        break;
      case 'url':
      case 'file':
        if (!isInWords) this.unread++;
        break;
    }
  }
}
