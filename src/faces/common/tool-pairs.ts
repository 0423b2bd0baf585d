import { blockPath, type Message } from '../../core/conversation/content.js';
import { GatewayError } from '../../core/errors.js';
import { shortened } from '../../core/shortened.js';

/** Error messages of a face about calls and results. */
export interface ToolPairMessages {
  /** The field of the result that names the call. */
  readonly field: string;
  readonly unmatched: (id: string) => string;
  readonly unanswered: (id: string) => string;
  /** Two calls of a turn have the same id, so that their results would be ambiguous. */
  readonly duplicate: (id: string) => string;
  readonly answeredTwice: (id: string) => string;
}

/** A call of the assistant turn that results have to answer. */
interface ToolCall {
  readonly path: string;
  /** Undefined: the vendor runs the tool, and adds the result itself where none is given. */
  isAnswered: boolean | undefined;
}

/**
 * Every tool call of an assistant turn needs exactly one result in the user turn that follows, and every result a call.
 * No provider accepts anything else, so it is refused before a call is sent
 * (docs/contribute/reasons/translation.md#calls-without-results). As at the vendor, consecutive messages of one role
 * are one turn, and system messages may be anywhere. The vendor itself answers calls of tools that it runs.
 * @throws GatewayError naming the message and the call
 */
export function assertToolPairs(messages: readonly Message[], words: ToolPairMessages): void {
  /** The calls of the last assistant turn. */
  let calls = new Map<string, ToolCall>();
  let before: Message['role'] | undefined;
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index]!;
    const { role, content } = message;
    if (role === 'system') continue;
    if (role === 'assistant' && before !== 'assistant') {
      refuseUnanswered(calls, words);
      if (calls.size > 0) calls = new Map();
    }
    before = role;
    for (let blockIndex = 0; blockIndex < content.length; blockIndex++) {
      const block = content[blockIndex]!;
      if (block.type === 'tool-use') {
        const path = blockPath(message, index, blockIndex);
        if (calls.has(block.id)) throw refusal(path, words.duplicate, block.id);
        calls.set(block.id, { path, isAnswered: false });
      } else if (block.type === 'opaque') {
        const { type, id } = block.opaque.value;
        if ((type === 'server_tool_use' || type === 'mcp_tool_use') && typeof id === 'string') {
          calls.set(id, { path: blockPath(message, index, blockIndex), isAnswered: undefined });
        }
      } else if (block.type === 'tool-result') {
        const { toolUseId } = block;
        const call = calls.get(toolUseId);
        const path = `${blockPath(message, index, blockIndex)}.${words.field}`;
        if (call === undefined) throw refusal(path, words.unmatched, toolUseId);
        if (call.isAnswered === true) throw refusal(path, words.answeredTwice, toolUseId);
        call.isAnswered = true;
      }
    }
  }
  refuseUnanswered(calls, words);
}

/** Reports the first. */
function refuseUnanswered(calls: ReadonlyMap<string, ToolCall>, words: ToolPairMessages): void {
  for (const [id, { path, isAnswered }] of calls) {
    if (isAnswered === false) throw refusal(path, words.unanswered, id);
  }
}

const refusal = (path: string, word: (id: string) => string, id: string): GatewayError =>
  new GatewayError('invalid-request', `${path}: ${word(shortened(id))}`);
