import { append } from '../../core/append.js';
import type {
  ContentBlock,
  Message,
  Origin,
  TextBlock,
  ToolResultBlock,
  ToolUseBlock,
} from '../../core/conversation/content.js';
import type { Effort } from '../../core/conversation/effort.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import { SERVER_TOOL_USE_PREFIX } from '../../core/ids.js';
import { printJson, type JsonObject } from '../../core/json/json.js';
import { SERVICE_TOOL_PREFIX } from '../../core/tool.js';
import { fileAnnotationsIn } from '../common/read-annotations.js';
import type { WireAnnotations } from '../common/schemas/file-annotations.js';
import { readDrawn, readInstruction, readOutput, readPart } from './read-parts.js';
import { readReasoning } from './read-reasoning.js';
import type { ItemOf, WireItem, WireMessageItem } from './schemas/input.js';
import type { WirePart } from './schemas/parts.js';
import { CLIENT_TOOLS, flatName, textArguments } from './tool-calls.js';
import type { ToolList } from './read-tools.js';

/** A turn under construction. */
interface Turn {
  readonly role: Message['role'];
  readonly content: ContentBlock[];
  readonly paths: string[];
  /** The next turn: the results of its calls, and the user's text after them. */
  results?: ResultsTurn;
}

interface ResultsTurn {
  readonly content: ContentBlock[];
  readonly paths: string[];
  readonly words: ContentBlock[];
  readonly wordPaths: string[];
}

/** What the items of `input` contain. */
export interface ReadInput extends Pick<ModelRequest, 'system' | 'messages'> {
  /** Tools that items add. */
  readonly lists: readonly ToolList[];
  /** The effort of the latest item that changes it. */
  readonly effort: Effort | undefined;
  /** Annotations of the model's own texts. */
  readonly annotations: readonly WireAnnotations[];
}

type Reader<Kind extends string> = (turns: Turns, item: ItemOf<Kind>, path: string) => void;

const OWN = 'openai-responses';

/**
 * A reader for each kind of item that becomes part of a turn. A call or result of a tool that other formats have as a
 * function keeps its item for providers of this format.
 */
const READERS: { readonly [Kind in Exclude<ItemOf<string>['type'], 'message'>]: Reader<Kind> } = {
  function_call: (turns, { call_id: id, name, namespace, arguments: input }, path) =>
    turns.call({ type: 'tool-use', id, name: flatName(namespace, name), input }, path),
  custom_tool_call: (turns, item, path) => {
    const { call_id: id, name, namespace, input } = item;
    const own = namespace ? {} : ownItem(item);
    turns.call({ type: 'tool-use', id, name: flatName(namespace, name), input: textArguments(input), ...own }, path);
  },
  shell_call: (turns, item, path) => turns.call(clientCall('shell', item, item.action), path),
  local_shell_call: (turns, item, path) => {
    const { type: _type, ...action } = item.action as JsonObject;
    turns.call(clientCall('local_shell', item, action), path);
    if (item.id) turns.localIds.set(item.id, item.call_id);
  },
  apply_patch_call: (turns, item, path) =>
    turns.call(clientCall('apply_patch', item, { operation: item.operation }), path),
  function_call_output: (turns, { call_id: toolUseId, output }, path) =>
    turns.result({ type: 'tool-result', toolUseId, content: readOutput(output, `${path}.output`) }, path),
  custom_tool_call_output: (turns, item, path) => {
    const content = readOutput(item.output, `${path}.output`);
    turns.result({ type: 'tool-result', toolUseId: item.call_id, content, ...ownItem(item) }, path);
  },
  shell_call_output: (turns, item, path) =>
    turns.result(clientResult(item.call_id, item, printJson(item.output)), path),
  // The output names its call by `id`, which is the id of the call; some clients send the id of the item.
  local_shell_call_output: (turns, item, path) =>
    turns.result(clientResult(turns.localIds.get(item.id) ?? item.id, item, item.output), path),
  apply_patch_call_output: (turns, item, path) => {
    const result = clientResult(item.call_id, item, item.output || (item.status ?? ''));
    turns.result(item.status === 'failed' ? { ...result, isError: true } : result, path);
  },
  reasoning: (turns, item, path) => {
    for (const block of readReasoning(item)) turns.answer(block, path);
  },
  image_generation_call: (turns, { result }, path) => {
    if (result) turns.answer(readDrawn(result, `${path}.result`), path);
  },
  additional_tools: (turns, { tools }, path) => turns.lists.push({ tools, path: `${path}.tools` }),
  configuration_update: (turns, { reasoning: { effort } }) => {
    if (effort) turns.effort = effort;
  },
  // The schemas refuse these items.
  item_reference: () => {},
  agent_message: () => {},
};

const ownItem = (item: object): Pick<ToolUseBlock, 'origin'> => ({
  origin: { vendor: OWN, value: item as JsonObject },
});

const clientCall = (
  name: keyof typeof CLIENT_TOOLS,
  item: { readonly call_id: string },
  action: JsonObject,
): ToolUseBlock => ({ type: 'tool-use', id: item.call_id, name, input: printJson(action), ...ownItem(item) });

const clientResult = (toolUseId: string, item: object, text: string): ToolResultBlock => ({
  type: 'tool-result',
  toolUseId,
  content: [{ type: 'text', text }],
  ...ownItem(item),
});

/**
 * The conversation in turns. Instructions before the first other item are those of the request; later ones keep their
 * position. The results of a turn's calls are grouped right after it, wherever their items are: formats whose results
 * are parts of turns require that (docs/contribute/reasons/translation.md#results-of-one-turn-are-adjacent).
 * @throws GatewayError for media that no format can carry
 */
export function readInput(input: string | readonly WireItem[], instructions: string | null | undefined): ReadInput {
  const turns = new Turns();
  if (instructions) turns.system.push({ type: 'text', text: instructions });
  if (typeof input === 'string') turns.add('user', [{ type: 'text', text: input }], ['input']);
  else for (const [index, item] of input.entries()) readItem(turns, item, `input.${index}`);
  const { system, lists, effort, annotations } = turns;
  return { system, messages: turns.finish(), lists, effort, annotations };
}

function readItem(turns: Turns, item: WireItem, path: string): void {
  if (item.type === undefined || item.type === 'message') return readMessage(turns, item, path);
  if (Object.hasOwn(READERS, item.type)) {
    const reader = READERS[item.type as keyof typeof READERS] as Reader<string>;
    return reader(turns, item as ItemOf<string>, path);
  }
  // Uses of the gateway's own tools: the model's text contains what it took from them.
  const { id } = item as { readonly id?: string | null };
  if (item.type.startsWith(SERVICE_TOOL_PREFIX) || id?.startsWith(SERVER_TOOL_USE_PREFIX)) return;
  turns.answer({ type: 'opaque', opaque: { vendor: OWN, value: item as JsonObject } }, path);
}

function readMessage(turns: Turns, { role, content, phase }: WireMessageItem, path: string): void {
  const at = `${path}.content`;
  if (role === 'system' || role === 'developer') {
    const texts: TextBlock[] =
      typeof content === 'string'
        ? [{ type: 'text', text: content }]
        : (content ?? []).map((part, index) => readInstruction(part, `${at}.${index}`));
    turns.instruct(texts, pathsOf(content, at));
    return;
  }
  const blocks: ContentBlock[] =
    typeof content === 'string'
      ? [{ type: 'text', text: content }]
      : (content ?? []).map((part, index) => readPart(part, `${at}.${index}`));
  if (blocks.length === 0) blocks.push({ type: 'text', text: '' });
  const paths = pathsOf(content, at);
  if (role === 'user') return turns.ask(blocks, paths);
  if (typeof content === 'object') for (const part of content ?? []) addAnnotations(part, turns.annotations);
  for (const [index, block] of blocks.entries()) {
    turns.answer(block.type === 'text' && phase ? { ...block, phase } : block, paths[index] ?? at);
  }
}

function addAnnotations(part: WirePart, all: WireAnnotations[]): void {
  if (part.type !== 'output_text' || part.annotations === undefined) return;
  const files = fileAnnotationsIn(part.annotations);
  if (files.length > 0) all.push(files);
}

const pathsOf = (content: string | readonly unknown[] | null | undefined, path: string): string[] =>
  Array.isArray(content) && content.length > 0 ? content.map((_part, index) => `${path}.${index}`) : [path];

const typeOf = (origin: Origin | undefined): string | undefined => origin?.value['type'] as string | undefined;

/** The type of the item that answers a call; undefined: one of a function. */
const resultTypeOf = (origin: Origin | undefined): string | undefined =>
  origin && `${origin.value['type'] as string}_output`;

function withoutOrigin<Block extends ToolUseBlock | ToolResultBlock>(block: Block): Block {
  const { origin: _own, ...rest } = block;
  return rest as Block;
}

/** The turns that items become. */
class Turns {
  readonly system: TextBlock[] = [];
  readonly lists: ToolList[] = [];
  readonly annotations: WireAnnotations[] = [];
  effort: Effort | undefined;
  /** Ids of calls by the ids of their items. */
  readonly localIds = new Map<string, string>();
  /** Turns of results are not in it: each belongs to the turn of its calls. */
  private readonly list: Turn[] = [];
  /** The turns of calls, and their indexes there, by the ids of the calls: the latest where several have one id. */
  private readonly callers = new Map<string, { readonly turn: Turn; readonly at: number }>();

  instruct(blocks: readonly TextBlock[], paths: readonly string[]): void {
    if (this.list.length > 0) this.add('system', blocks, paths);
    else for (const block of blocks) if (block.text !== '') this.system.push(block);
  }

  /** A user's message right after results continues their turn. */
  ask(blocks: readonly ContentBlock[], paths: readonly string[]): void {
    const results = this.list.at(-1)?.results;
    if (!results || results.words.length > 0) return this.add('user', blocks, paths);
    append(results.words, blocks);
    append(results.wordPaths, paths);
  }

  /** A part of the model's turn. */
  answer(block: ContentBlock, path: string): void {
    const last = this.list.at(-1);
    if (last?.role !== 'assistant' || last.results) return this.add('assistant', [block], [path]);
    last.content.push(block);
    last.paths.push(path);
  }

  call(block: ToolUseBlock, path: string): void {
    this.answer(block, path);
    const turn = this.list.at(-1)!;
    this.callers.set(block.id, { turn, at: turn.content.length - 1 });
  }

  /** A result without a call becomes a separate turn, which `assertToolPairs` refuses. */
  result(block: ToolResultBlock, path: string): void {
    const caller = this.callers.get(block.toolUseId);
    if (!caller) return this.add('user', [block], [path]);
    const { turn, at } = caller;
    const { content, paths } = (turn.results ??= { content: [], paths: [], words: [], wordPaths: [] });
    const call = turn.content[at] as ToolUseBlock;
    const isPair = typeOf(block.origin) === resultTypeOf(call.origin);
    // Providers of this format refuse an output in another form than its call.
    if (!isPair) turn.content[at] = withoutOrigin(call);
    content.push(isPair ? block : withoutOrigin(block));
    paths.push(path);
  }

  add(role: Message['role'], content: readonly ContentBlock[], paths: readonly string[]): void {
    this.list.push({ role, content: [...content], paths: [...paths] });
  }

  finish(): Message[] {
    const messages: Message[] = [];
    for (const { role, content, paths, results } of this.list) {
      messages.push({ role, content, paths });
      if (!results) continue;
      append(results.content, results.words);
      append(results.paths, results.wordPaths);
      messages.push({ role: 'user', content: results.content, paths: results.paths });
    }
    return messages;
  }
}
