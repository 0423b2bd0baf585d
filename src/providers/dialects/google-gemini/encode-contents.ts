import { append } from '../../../core/append.js';
import { blockPath, type Message } from '../../../core/conversation/content.js';
import type { EncodeContext } from './encode-context.js';
import { encodeModelTurn, type PathOf } from './encode-model-turn.js';
import { encodeParts } from './encode-parts.js';
import { encodeToolResult, type EncodedToolResult } from './encode-tool-result.js';
import type { Content, OwnPart, Part } from './wire.js';

/** Instructions in the midst of a conversation have no role of their own here: these words begin them. */
const INSTRUCTION_LEAD = '[System]\n';

/**
 * The conversation. Turns keep their order, those of one role that follow one another are one: the vendor counts the
 * results of a turn against the calls of the turn in front of it.
 * @throws Untranslatable naming the block that the target cannot carry
 */
export function encodeContents(context: EncodeContext): Content[] {
  const contents = new Contents();
  // Instructions between a call and its results wait until the results are out.
  let deferred: Part[] = [];
  let awaitsResults = false;
  for (const [index, message] of context.request.messages.entries()) {
    const pathOf = (place: number): string => blockPath(message, index, place);
    switch (message.role) {
      case 'system':
        if (awaitsResults) append(deferred, instructionParts(message, pathOf, context));
        else contents.add('user', instructionParts(message, pathOf, context));
        continue;
      case 'assistant':
        contents.add('user', deferred);
        contents.add('model', encodeModelTurn(message, pathOf, context));
        awaitsResults = message.content.some((block) => block.type === 'tool-use');
        break;
      case 'user': {
        const { results, rest } = userParts(message, pathOf, context);
        contents.add('user', results);
        contents.add('user', deferred);
        contents.add('user', rest);
        awaitsResults = false;
        break;
      }
    }
    deferred = [];
  }
  contents.add('user', deferred);
  return contents.all;
}

class Contents {
  readonly all: Content[] = [];

  /** A text that says nothing is sent where its role would say nothing else. */
  add(role: Content['role'], parts: readonly (Part | OwnPart)[]): void {
    if (parts.length === 0) return;
    const last = this.all.at(-1);
    const open = last?.role === role ? last : undefined;
    const said = parts.filter(saysSomething);
    if (open !== undefined) append(open.parts, said);
    else this.all.push({ role, parts: said.length > 0 ? said : parts.slice(0, 1) });
  }
}

const saysSomething = (part: Part | OwnPart): boolean =>
  !('text' in part) || part.text !== '' || 'thoughtSignature' in part;

function instructionParts(message: Message, pathOf: PathOf, context: EncodeContext): Part[] {
  const texts: string[] = [];
  for (const [index, block] of message.content.entries()) {
    if (block.type !== 'text') context.refuse(pathOf(index), `a ${block.type} block in a system turn`);
    if (block.text !== '') texts.push(block.text);
  }
  return texts.map((text) => ({ text: INSTRUCTION_LEAD + text }));
}

/**
 * All results of a turn first, then everything else in order, media of results where their result stood
 * (docs/reasons/translation.md#order-in-a-mixed-turn).
 */
function userParts(message: Message, pathOf: PathOf, context: EncodeContext): { results: Part[]; rest: Part[] } {
  const results: EncodedToolResult[] = [];
  const rest: Part[] = [];
  for (const [index, block] of message.content.entries()) {
    if (block.type === 'tool-result') {
      const encoded = encodeToolResult(block, pathOf(index), context);
      results.push(encoded);
      append(rest, encoded.carried);
    } else {
      append(rest, encodeParts(block, pathOf(index), context));
    }
  }
  // Who knows no ids takes results for those of the calls in their order.
  if (!context.generation.signsCalls) results.sort((one, other) => one.call.place - other.call.place);
  return { results: results.map(({ response }) => response), rest };
}
