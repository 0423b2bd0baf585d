import { append } from '../core/append.js';
import type { ContentBlock, Message, TextBlock } from '../core/conversation/content.js';
import type { ModelRequest } from '../core/conversation/request.js';
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
 * their place. The results of tools that follow one another are one user turn, with what the user says right after
 * them: so the formats want it that know results as parts of turns
 * (docs/reasons/translation.md#results-stand-together).
 * @throws GatewayError for media that nobody can carry
 */
export function readMessages(messages: readonly WireMessage[]): Pick<ModelRequest, 'system' | 'messages'> {
  const system: TextBlock[] = [];
  const turns: Turn[] = [];
  for (const [index, message] of messages.entries()) {
    const path = `messages.${index}`;
    switch (message.role) {
      case 'system':
      case 'developer':
        if (turns.length === 0) addSaid(system, readInstructions(message));
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

/** Empty text says nothing. */
function addSaid(system: TextBlock[], blocks: readonly TextBlock[]): void {
  for (const block of blocks) if (block.text !== '') system.push(block);
}

const readInstructions = ({ content }: WireOf<'system' | 'developer'>): TextBlock[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content.map(readText);

function addUser(turns: Turn[], message: WireOf<'user'>, path: string): void {
  const { content } = message;
  const blocks: ContentBlock[] =
    typeof content === 'string'
      ? [{ type: 'text', text: content }]
      : content.map((part, place) => readUserPart(part, `${path}.content.${place}`));
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
        : content.map((part, place) => readToolPart(part, `${path}.content.${place}`)),
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

/** What the model said, in the order in which it is told: reasoning, words, calls. */
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
    for (const [place, part] of (content ?? []).entries()) {
      const text: TextBlock =
        part.type === 'text' ? { ...readText(part), ...phase } : { type: 'text', text: part.refusal };
      add(text, `content.${place}`);
    }
  }
  if (refusal) add({ type: 'text', text: refusal }, 'refusal');
  for (const [place, image] of (images ?? []).entries()) {
    add(readImage(image, `${path}.images.${place}`), `images.${place}`);
  }
  for (const [place, call] of (calls ?? []).entries()) {
    // The arguments stay the text they are: equal histories are equal bytes.
    const { name, arguments: input } = call.function;
    add({ type: 'tool-use', id: call.id, name, input }, `tool_calls.${place}`);
  }
  // A turn that says nothing is one empty text, which every dialect has a rule for.
  if (turn.content.length === 0) add({ type: 'text', text: '' }, 'content');
  return turn;
}

/** What part of its work the model's words are: the word of a vendor that wants it back, told beside the message. */
function phaseOf(message: WireAssistantMessage): { phase?: string } {
  const { phase } = message as { readonly phase?: unknown };
  return typeof phase === 'string' && phase !== '' ? { phase } : {};
}

const contentPaths = (content: string | readonly unknown[], path: string): string[] =>
  typeof content === 'string' ? [`${path}.content`] : content.map((_part, place) => `${path}.content.${place}`);

/** The speaker's name, which only this format knows: a dialect of it finds it in the message as it came. */
const named = (message: WireMessage): Pick<Message, 'origin'> =>
  typeof message.name === 'string' ? { origin: { vendor: 'openai', value: message } } : {};
