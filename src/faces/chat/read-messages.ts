import { append } from '../../core/append.js';
import type { ContentBlock, Message, TextBlock } from '../../core/conversation/content.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import { readCacheMarker } from '../../core/conversation/read-cache-marker.js';
import { readImage, readText, readToolPart, readUserPart } from './read-parts.js';
import { readReasoning } from './read-reasoning.js';
import type { WireAssistantMessage, WireMessage } from './schemas/messages.js';

type WireOf<Role extends WireMessage['role']> = Extract<WireMessage, { role: Role }>;

/** A turn under construction. */
interface Turn {
  readonly role: Message['role'];
  readonly content: ContentBlock[];
  readonly paths: string[];
  origin?: NonNullable<Message['origin']>;
}

/**
 * The conversation in turns. Instructions before the first other message are those of the request; later ones keep
 * their position. Adjacent tool results and the user's message right after them form one user turn: formats whose
 * results are parts of turns require that (docs/contribute/reasons/translation.md#results-of-one-turn-are-adjacent).
 * @throws GatewayError for media that no format can carry
 */
export function readMessages(messages: readonly WireMessage[]): Pick<ModelRequest, 'system' | 'messages'> {
  const system: TextBlock[] = [];
  const turns: Turn[] = [];
  for (const [index, message] of messages.entries()) {
    const path = `messages.${index}`;
    switch (message.role) {
      case 'system':
      case 'developer':
        if (turns.length === 0) addNonEmpty(system, readInstructions(message));
        else addTurn(turns, message, 'system', readInstructions(message), contentPaths(message.content, path));
        break;
      case 'user':
        addUser(turns, message, path);
        break;
      case 'assistant':
        turns.push(readAssistant(message, path));
        break;
      case 'tool':
        addResult(turns, message, path);
        break;
    }
  }
  return { system, messages: turns };
}

/** Leaves out empty texts. */
function addNonEmpty(system: TextBlock[], blocks: readonly TextBlock[]): void {
  for (const block of blocks) if (block.text !== '') system.push(block);
}

function readInstructions(message: WireOf<'system' | 'developer'>): TextBlock[] {
  const { content } = message;
  const texts: TextBlock[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content.map(readText);
  if (message.cache_control) markLast(texts, message);
  return texts;
}

/** The marker of a whole message ends the prefix where its last part does, unless that part has one of its own. */
function markLast(blocks: ContentBlock[], { cache_control: marker }: WireMessage): void {
  const index = blocks.findLastIndex(({ type }) => type !== 'thinking' && type !== 'redacted-thinking');
  const last = blocks[index];
  if (!marker || last === undefined || last.cacheMarker) return;
  blocks[index] = { ...last, cacheMarker: readCacheMarker(marker) };
}

function addUser(turns: Turn[], message: WireOf<'user'>, path: string): void {
  const { content } = message;
  const blocks: ContentBlock[] =
    typeof content === 'string'
      ? [{ type: 'text', text: content }]
      : content.map((part, index) => readUserPart(part, `${path}.content.${index}`));
  if (message.cache_control) markLast(blocks, message);
  const last = turns.at(-1);
  if (last && endsWithResult(last)) {
    append(last.content, blocks);
    append(last.paths, contentPaths(content, path));
    Object.assign(last, named(message));
  } else {
    addTurn(turns, message, 'user', blocks, contentPaths(content, path));
  }
}

function addResult(turns: Turn[], message: WireOf<'tool'>, path: string): void {
  const { content, tool_call_id: toolUseId } = message;
  const block: ContentBlock = {
    type: 'tool-result',
    toolUseId,
    content:
      typeof content === 'string'
        ? [{ type: 'text', text: content }]
        : content.map((part, index) => readToolPart(part, `${path}.content.${index}`)),
    ...(message.cache_control && { cacheMarker: readCacheMarker(message.cache_control) }),
  };
  const last = turns.at(-1);
  if (last && endsWithResult(last)) {
    last.content.push(block);
    last.paths.push(path);
  } else {
    turns.push({ role: 'user', content: [block], paths: [path] });
  }
}

const endsWithResult = ({ content }: Turn): boolean => content.at(-1)?.type === 'tool-result';

function addTurn(
  turns: Turn[],
  message: WireMessage,
  role: Message['role'],
  content: ContentBlock[],
  paths: string[],
): void {
  turns.push({ role, content, paths, ...named(message) });
}

/** The model's turn, in the order in which replies emit it: reasoning, text, calls. */
function readAssistant(message: WireAssistantMessage, path: string): Turn {
  const { content, tool_calls: calls, reasoning, reasoning_details: details, refusal, images } = message;
  const phase = phaseOf(message);
  const turn: Turn = { role: 'assistant', content: [], paths: [], ...named(message) };
  const add = (block: ContentBlock, at: string): void => {
    turn.content.push(block);
    turn.paths.push(`${path}.${at}`);
  };
  for (const block of readReasoning(details, reasoning)) add(block, 'reasoning_details');
  if (typeof content === 'string') {
    if (content !== '') add({ type: 'text', text: content, ...phase }, 'content');
  } else {
    for (const [index, part] of (content ?? []).entries()) {
      const text: TextBlock =
        part.type === 'text' ? { ...readText(part), ...phase } : { type: 'text', text: part.refusal };
      add(text, `content.${index}`);
    }
  }
  if (refusal) add({ type: 'text', text: refusal }, 'refusal');
  for (const [index, image] of (images ?? []).entries()) {
    add(readImage(image, `${path}.images.${index}`), `images.${index}`);
  }
  for (const [index, call] of (calls ?? []).entries()) {
    // The arguments stay in their textual form: equal histories are equal bytes.
    const { name, arguments: input } = call.function;
    add({ type: 'tool-use', id: call.id, name, input }, `tool_calls.${index}`);
  }
  // An empty turn gets one empty text, for which every dialect has a rule.
  if (turn.content.length === 0) add({ type: 'text', text: '' }, 'content');
  if (message.cache_control) markLast(turn.content, message);
  return turn;
}

/** The phase of the model's text: the word of a vendor that requires it back, sent beside the message. */
function phaseOf(message: WireAssistantMessage): { phase?: string } {
  const { phase } = message as { readonly phase?: unknown };
  return typeof phase === 'string' && phase !== '' ? { phase } : {};
}

const contentPaths = (content: string | readonly unknown[], path: string): string[] =>
  typeof content === 'string' ? [`${path}.content`] : content.map((_part, index) => `${path}.content.${index}`);

/** The speaker's name exists only in this format: its dialect finds it in the original message. */
const named = (message: WireMessage): Pick<Message, 'origin'> =>
  typeof message.name === 'string' ? { origin: { vendor: 'openai', value: message } } : {};
