import { append } from '../../../core/append.js';
import { blockPath, type CacheMarker, type ContentBlock, type Message } from '../../../core/conversation/content.js';
import type { Steps } from '../../../core/steps.js';
import { modelFamilyOf } from '../../model-rules/model-family.js';
import { assertContinues, trimmedEnd } from '../../model-rules/prefill.js';
import { encodeToolInput } from '../encode-tool-input.js';
import { assertHasTurns } from '../empty-conversation.js';
import type { PathOf } from '../encode-context.js';
import { findDroppedCalls } from '../foreign-blocks.js';
import type { ConverseContext } from './encode-context.js';
import { isNotBlank } from './encode-media.js';
import { encodeParts, encodeToolResult } from './encode-parts.js';
import type { CachePoint, Part, Turn } from './wire.js';

/** The format refuses a document in a turn without text. */
const BESIDE_DOCUMENTS: Part = { text: 'See the attached document.' };
/**
 * "A conversation must start with a user message" (elastic/kibana, pull request 246393; RooCodeInc/Roo-Code, pull
 * request 4150; read 2026-11-29). Other formats allow a greeting of the assistant in front.
 */
const BEFORE_ASSISTANT: Part = { text: '[The assistant begins.]' };
/** Marks instructions within the conversation: the format has no role for them. */
const SYSTEM_PREFIX = 'System: ';

/** The parts of one or more consecutive user turns. */
interface UserParts {
  readonly results: Part[];
  readonly rest: Part[];
}

/**
 * The conversation in alternating turns, as the format requires: consecutive turns of one role become one, with all
 * tool results first. Instructions among the turns become text of a user, at the same index. Turns from which
 * everything was dropped are left out.
 * @throws Untranslatable naming the block that the target cannot carry, and where no turn is left
 */
export function* encodeTurns(context: ConverseContext): Steps<Turn[]> {
  const turns: Turn[] = [];
  const isClaude = modelFamilyOf(context.target) === 'claude';
  let user: UserParts | undefined;
  const flush = (): void => {
    if (user !== undefined) turns.push({ role: 'user', content: [...user.results, ...user.rest] });
    user = undefined;
  };
  for (const [index, message] of context.request.messages.entries()) {
    if (context.steps.isOver()) yield;
    const pathOf = (blockIndex: number): string => blockPath(message, index, blockIndex);
    if (message.role === 'assistant') {
      const isLast = index === context.request.messages.length - 1;
      const said = isLast && isClaude ? trimmedEnd(message.content) : message.content;
      const content = yield* assistantParts(said, pathOf, context);
      if (content.length === 0) continue;
      flush();
      const last = turns.at(-1);
      if (last?.role === 'assistant') append(last.content, content);
      else turns.push({ role: 'assistant', content });
      continue;
    }
    const { results, rest } = yield* userParts(message, pathOf, context);
    if (results.length === 0 && rest.length === 0) continue;
    user ??= { results: [], rest: [] };
    append(user.results, results);
    append(user.rest, rest);
  }
  flush();
  assertHasTurns(turns);
  if (turns.at(-1)?.role === 'assistant') assertLastContinues(context);
  if (turns[0]?.role === 'assistant') turns.unshift({ role: 'user', content: [BEFORE_ASSISTANT] });
  return turns;
}

function assertLastContinues({ request: { messages }, target }: ConverseContext): void {
  const index = messages.findLastIndex(({ role }) => role === 'assistant');
  const last = messages[index]!;
  assertContinues(last.content, last, index, target);
}

function* userParts(message: Message, pathOf: PathOf, context: ConverseContext): Steps<UserParts> {
  const results: Part[] = [];
  const rest: Part[] = [];
  for (const [index, block] of message.content.entries()) {
    if (context.steps.isOver()) yield;
    const path = pathOf(index);
    if (message.role === 'system' && block.type !== 'text') {
      context.refuseIn('a system turn', path, block);
    }
    if (block.type === 'tool-result') {
      const { part, carried } = encodeToolResult(block, path, context);
      results.push(part);
      append(rest, carried);
      mark(results, block.cacheMarker ?? innerMarker(block.content), context);
      continue;
    }
    const parts = encodeParts(block, path, context);
    append(rest, message.role === 'system' ? parts.map(asInstruction) : parts);
    mark(rest, block.cacheMarker, context);
  }
  if (rest.some((part) => 'document' in part) && !rest.some((part) => 'text' in part)) rest.unshift(BESIDE_DOCUMENTS);
  return { results, rest };
}

const asInstruction = (part: Part): Part => ('text' in part ? { text: SYSTEM_PREFIX + part.text } : part);

/** The format has no points within a result: the last marker inside it becomes a point after it. */
const innerMarker = (content: readonly { readonly cacheMarker?: CacheMarker }[]): CacheMarker | undefined =>
  content.findLast(({ cacheMarker }) => cacheMarker !== undefined)?.cacheMarker;

function* assistantParts(blocks: readonly ContentBlock[], pathOf: PathOf, context: ConverseContext): Steps<Part[]> {
  const parts: Part[] = [];
  const dropped = findDroppedCalls(blocks, context);
  for (const [index, block] of blocks.entries()) {
    if (context.steps.isOver()) yield;
    switch (block.type) {
      case 'text':
        if (isNotBlank(block.text)) parts.push({ text: block.text });
        break;
      case 'thinking':
        if (context.admits(context.reasoningForm(block), pathOf(index))) {
          const { thinking: text, signature } = block;
          parts.push({ reasoningContent: { reasoningText: { text, signature } } });
        }
        // No point may follow reasoning.
        continue;
      case 'redacted-thinking':
        if (context.admits(context.reasoningForm(block), pathOf(index))) {
          parts.push({ reasoningContent: { redactedContent: block.data } });
        }
        continue;
      case 'tool-use':
        parts.push({
          toolUse: {
            toolUseId: context.callId(block),
            name: context.names.toWire(block.name),
            input: yield* encodeToolInput(block.input),
          },
        });
        break;
      case 'opaque':
        if (!dropped.has(block.opaque.value['id'])) append(parts, encodeParts(block, pathOf(index), context));
        break;
      default:
        context.refuseIn('an assistant turn', pathOf(index), block);
    }
    mark(parts, block.cacheMarker, context);
  }
  return parts;
}

/** Puts a point after the parts so far: the marked prefix ends there even where the block itself was dropped. */
function mark(parts: Part[], marker: CacheMarker | undefined, context: ConverseContext): void {
  const point = context.blockPoint(marker);
  const last = parts.at(-1);
  if (point !== undefined && last !== undefined && !isPoint(last) && context.canPrecedeCachePoint(last))
    parts.push(point);
}

export const isPoint = (part: object): part is CachePoint => 'cachePoint' in part;
