import { blockPath, type ContentBlock, type Message, type ToolResultBlock } from '../../core/conversation/content.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import type { Json, JsonObject } from '../../core/json/json.js';
import type { Dialect, Target } from '../../core/provider.js';
import { treatmentOf } from '../../core/translation.js';
import { foreignForm, foreignWords } from '../dialects/foreign-blocks.js';

/** The vendor that reports its own tools' work as blocks of a turn. */
const REPORTING_VENDOR = 'anthropic';

/**
 * A request with a history that one target can read. For models of other formats, the work of Anthropic's own tools
 * becomes a call and its result, where the result follows the call. Returns the same object where there is no such
 * work.
 */
export function withToolPairs(request: ModelRequest, target: Target, dialect: Dialect): ModelRequest {
  if (dialect.vendor === REPORTING_VENDOR || !request.messages.some(holdsResults)) return request;
  const isMapped = (block: ContentBlock): boolean =>
    block.type === 'opaque' && treatmentOf(dialect.table.blocks[foreignForm(block.opaque)], target).type === 'mapped';
  const turns: Message[] = [];
  let pending: readonly ToolResultBlock[] = [];
  for (const [index, message] of request.messages.entries()) {
    const paths = message.content.map((_, blockIndex) => blockPath(message, index, blockIndex));
    if (message.role === 'user' && pending.length > 0) {
      const before = pending.map(() => `messages.${index}`);
      turns.push({ role: 'user', content: [...pending, ...message.content], paths: [...before, ...paths] });
      pending = [];
      continue;
    }
    if (pending.length > 0) turns.push({ role: 'user', content: pending });
    const pairs = pairsIn(message, isMapped);
    const split = splitTurn({ ...message, paths }, pairs);
    for (const turn of split.turns) turns.push(turn);
    pending = split.results;
  }
  if (pending.length > 0) turns.push({ role: 'user', content: pending });
  return { ...request, messages: turns };
}

const valueOf = (block: ContentBlock): JsonObject | undefined =>
  block.type === 'opaque' && block.opaque.vendor === REPORTING_VENDOR ? block.opaque.value : undefined;

const resultIdOf = (block: ContentBlock): Json | undefined => valueOf(block)?.['tool_use_id'];

const holdsResults = ({ role, content }: Message): boolean =>
  role === 'assistant' && content.some((block) => resultIdOf(block) !== undefined);

/**
 * The calls of a turn that are followed by their results, by id. None where the turn calls the caller's tools before
 * the last result: those calls would be answered too late.
 */
function pairsIn(message: Message, isMapped: (block: ContentBlock) => boolean): ReadonlySet<Json> {
  const pairs = new Set<Json>();
  if (message.role !== 'assistant') return pairs;
  const calls = new Set<Json>();
  let callsOthers = false;
  for (const block of message.content) {
    if (block.type === 'tool-use') callsOthers = true;
    if (!isMapped(block)) continue;
    const { id, name } = valueOf(block) ?? {};
    const answered = resultIdOf(block);
    if (typeof id === 'string' && typeof name === 'string') calls.add(id);
    if (answered === undefined || !calls.has(answered)) continue;
    if (callsOthers) return new Set();
    pairs.add(answered);
  }
  return pairs;
}

/** @returns the turns that replace one turn, and the results that belong before the next turn */
function splitTurn(
  message: Message,
  pairs: ReadonlySet<Json>,
): { readonly turns: readonly Message[]; readonly results: readonly ToolResultBlock[] } {
  if (pairs.size === 0) return { turns: [message], results: [] };
  const turns: Message[] = [];
  let content: ContentBlock[] = [];
  let paths: string[] = [];
  let results: ToolResultBlock[] = [];
  const endTurn = (): void => {
    turns.push({ role: 'assistant', content, paths });
    content = [];
    paths = [];
  };
  for (const [index, block] of message.content.entries()) {
    const answered = resultIdOf(block);
    if (answered !== undefined && pairs.has(answered)) {
      results.push(resultOf(valueOf(block)!));
      continue;
    }
    if (results.length > 0) {
      endTurn();
      turns.push({ role: 'user', content: results });
      results = [];
    }
    content.push(callOf(block, pairs));
    paths.push(message.paths![index]!);
  }
  if (content.length > 0) endTurn();
  return { turns, results };
}

function callOf(block: ContentBlock, pairs: ReadonlySet<Json>): ContentBlock {
  const { id, name, input = {} } = valueOf(block) ?? {};
  return typeof id === 'string' && pairs.has(id) ? { type: 'tool-use', id, name: name as string, input } : block;
}

function resultOf(value: JsonObject): ToolResultBlock {
  const { tool_use_id: id, content } = value;
  return {
    type: 'tool-result',
    toolUseId: id as string,
    content: [{ type: 'text', text: foreignWords(value) }],
    ...(isFailure(content) && { isError: true }),
  };
}

const isFailure = (content: Json | undefined): boolean =>
  typeof content === 'object' && content !== null && 'error_code' in content;
