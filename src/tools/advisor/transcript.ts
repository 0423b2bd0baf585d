import type { ContentBlock, Message, ToolResultContent } from '../../core/conversation/content.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import { printJson } from '../../core/json/json.js';

/** Maximum number of characters of the transcript of one conversation; the oldest turns are dropped first. */
const LENGTH_MAX = 400_000;

/** Cached, since thousands of advisors may be sent one conversation at once. */
const transcripts = new WeakMap<ModelRequest, readonly string[]>();

/**
 * A conversation as text, for a model that is consulted about it. Each turn is a separate text, so that a later
 * transcript begins with the same texts. Media and reasoning are only named.
 */
export function transcriptOf(request: ModelRequest): readonly string[] {
  let transcript = transcripts.get(request);
  if (!transcript) transcripts.set(request, (transcript = writeTranscript(request)));
  return transcript;
}

function writeTranscript({ system, messages }: ModelRequest): readonly string[] {
  const parts: string[] = [];
  let length = 0;
  for (const message of messages.toReversed()) {
    const part = turnText(message);
    length += part.length;
    if (length > LENGTH_MAX && parts.length > 0) {
      parts.unshift('[Earlier turns are left out.]\n\n');
      break;
    }
    parts.unshift(part.slice(-LENGTH_MAX));
  }
  const rules = system.map(({ text }) => text).join('\n');
  if (rules !== '') parts.unshift(`<system>\n${rules.slice(0, LENGTH_MAX)}\n</system>\n\n`);
  return parts;
}

const turnText = ({ role, content }: Message): string =>
  `<${role}>\n${content
    .map(blockText)
    .filter((text) => text !== '')
    .join('\n')}\n</${role}>\n\n`;

function blockText(block: ContentBlock | ToolResultContent): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'tool-use':
      return `[Calls the tool ${block.name} with ${printJson(block.input ?? {})}]`;
    case 'tool-result':
      return `[The tool answers${block.isError ? ' with an error' : ''}: ${block.content.map(blockText).join('\n')}]`;
    case 'document':
      return block.source.type === 'text' ? `[Document: ${block.source.text}]` : '[A document]';
    case 'search-result':
      return `[Search result ${block.title}: ${block.content.map(({ text }) => text).join('\n')}]`;
    case 'tool-reference':
      return `[The tool ${block.toolName}]`;
    case 'image':
    case 'audio':
    case 'video':
      return `[${block.type}]`;
    case 'thinking':
    case 'redacted-thinking':
    case 'opaque':
      return '';
  }
}
