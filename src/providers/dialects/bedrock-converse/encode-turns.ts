import { append } from '../../../core/append.js';
import {
  blockPath,
  type CacheMarker,
  type ContentBlock,
  type Message,
  type RedactedThinkingBlock,
  type ThinkingBlock,
} from '../../../core/conversation/content.js';
import { isAnthropicReasoning } from '../../../core/conversation/reasoning-mark.js';
import type { Target } from '../../../core/provider.js';
import { encodeToolInput } from '../encode-tool-input.js';
import { ruleForForeign } from '../foreign-blocks.js';
import type { EncodeContext } from './encode-context.js';
import { isSaid } from './encode-media.js';
import { encodeParts, encodeToolResult } from './encode-parts.js';
import { markOf } from './families.js';
import type { CachePoint, Part, Turn } from './wire.js';

/** A document is refused in a turn that says nothing. */
const BESIDE_DOCUMENTS: Part = { text: 'See the attached document.' };
/** Instructions in the midst of a conversation, in a format that has none there. */
const SYSTEM_PREFIX = 'System: ';

type PathOf = (place: number) => string;

/** What is told of one or more turns of a user. */
interface UserParts {
  readonly results: Part[];
  readonly rest: Part[];
}

/**
 * The conversation in turns that alternate, as the format demands: turns of one side in a row are one, with all results
 * of tools first. Instructions among them are a user's words, where they stand. Turns of which the rules keep nothing
 * are left out.
 * @throws Untranslatable naming the block that the target cannot carry
 */
export function encodeTurns(context: EncodeContext): Turn[] {
  const turns: Turn[] = [];
  let user: UserParts | undefined;
  const flush = (): void => {
    if (user !== undefined) turns.push({ role: 'user', content: [...user.results, ...user.rest] });
    user = undefined;
  };
  for (const [index, message] of context.request.messages.entries()) {
    const pathOf = (place: number): string => blockPath(message, index, place);
    if (message.role === 'assistant') {
      const content = assistantParts(message.content, pathOf, context);
      if (content.length === 0) continue;
      flush();
      const last = turns.at(-1);
      if (last?.role === 'assistant') append(last.content, content);
      else turns.push({ role: 'assistant', content });
      continue;
    }
    const { results, rest } = userParts(message, pathOf, context);
    if (results.length === 0 && rest.length === 0) continue;
    user ??= { results: [], rest: [] };
    append(user.results, results);
    append(user.rest, rest);
  }
  flush();
  return turns;
}

/** Whether reasoning may go back to this target: its own, or Claude's to Claude from whatever platform, if signed. */
export function isShownTo({ mark, ...block }: ThinkingBlock | RedactedThinkingBlock, target: Target): boolean {
  if (block.type === 'thinking' && (block.signature ?? '') === '') return false;
  const own = markOf(target);
  if (isAnthropicReasoning(own)) return isAnthropicReasoning(mark);
  return mark?.format === own.format && mark.provider === own.provider;
}

function userParts(message: Message, pathOf: PathOf, context: EncodeContext): UserParts {
  const results: Part[] = [];
  const rest: Part[] = [];
  for (const [place, block] of message.content.entries()) {
    const path = pathOf(place);
    if (message.role === 'system' && block.type !== 'text') {
      context.refuse(path, `a ${block.type} block in a system turn`);
    }
    if (block.type === 'tool-result') {
      results.push(encodeToolResult(block, path, context));
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

/** A result has no point of its own within: the last marker in it stands behind it. */
const innerMarker = (content: readonly { readonly cacheMarker?: CacheMarker }[]): CacheMarker | undefined =>
  content.findLast(({ cacheMarker }) => cacheMarker !== undefined)?.cacheMarker;

function assistantParts(blocks: readonly ContentBlock[], pathOf: PathOf, context: EncodeContext): Part[] {
  const parts: Part[] = [];
  const dropped = droppedCalls(blocks);
  for (const [place, block] of blocks.entries()) {
    switch (block.type) {
      case 'text':
        if (isSaid(block.text)) parts.push({ text: block.text });
        break;
      case 'thinking':
        if (isShownTo(block, context.target)) {
          const { thinking: text, signature } = block;
          parts.push({ reasoningContent: { reasoningText: { text, signature } } });
        }
        // No point may stand behind reasoning.
        continue;
      case 'redacted-thinking':
        if (isShownTo(block, context.target)) parts.push({ reasoningContent: { redactedContent: block.data } });
        continue;
      case 'tool-use':
        parts.push({
          toolUse: {
            toolUseId: context.ids.toWire(block.id),
            name: context.names.toWire(block.name),
            input: encodeToolInput(block.input),
          },
        });
        break;
      case 'opaque':
        if (!dropped.has(block.opaque.value['id'])) append(parts, encodeParts(block, pathOf(place), context));
        break;
      default:
        context.refuse(pathOf(place), `a ${block.type} block in an assistant turn`);
    }
    mark(parts, block.cacheMarker, context);
  }
  return parts;
}

/** The ids of server calls whose results are dropped: a call told without its result would look unanswered. */
function droppedCalls(blocks: readonly ContentBlock[]): ReadonlySet<unknown> {
  const ids = new Set<unknown>();
  for (const block of blocks) {
    if (block.type !== 'opaque') continue;
    const id = block.opaque.value['tool_use_id'];
    if (id !== undefined && ruleForForeign(block.opaque).type === 'drop') ids.add(id);
  }
  return ids;
}

/** Puts a point behind what there is: the same words end there, also where the block itself was dropped. */
function mark(parts: Part[], marker: CacheMarker | undefined, context: EncodeContext): void {
  const point = context.cachePoint(marker);
  const last = parts.at(-1);
  if (point !== undefined && last !== undefined && !isPoint(last) && !('reasoningContent' in last)) parts.push(point);
}

export const isPoint = (part: object): part is CachePoint => 'cachePoint' in part;
