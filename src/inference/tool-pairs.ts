import { blockPath, type Message } from '../core/conversation/content.js';
import { GatewayError } from '../core/errors.js';
import { shortened } from '../core/shortened.js';

/** How a face calls what must be paired. */
export interface ToolPairMessages {
  /** Below the result: the field that names the call. */
  readonly field: string;
  readonly unasked: (id: string) => string;
  readonly unanswered: (id: string) => string;
  /** A call whose id another call of its turn has, so that nobody could tell whose a result is. */
  readonly askedTwice: (id: string) => string;
  readonly answeredTwice: (id: string) => string;
}

/** A call of the assistant turn that results are to answer. */
interface AskedCall {
  readonly path: string;
  /** Undefined: the vendor runs the tool, and answers by itself where no result is given. */
  isAnswered: boolean | undefined;
}

/**
 * Every tool call of an assistant turn has its one result in the user turn that follows, and every result its call: no
 * provider takes anything else, so it is refused before one is asked
 * (docs/reasons/translation.md#calls-without-results). Messages of one role in a row are one turn, and system messages
 * may stand anywhere, as the vendor reads it. Calls of tools the vendor runs are answered by the vendor.
 * @throws GatewayError naming the message and the call
 */
export function assertToolPairs(messages: readonly Message[], words: ToolPairMessages): void {
  /** Of the last assistant turn. */
  let asked = new Map<string, AskedCall>();
  let before: Message['role'] | undefined;
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index]!;
    const { role, content } = message;
    if (role === 'system') continue;
    if (role === 'assistant' && before !== 'assistant') {
      refuseUnanswered(asked, words);
      if (asked.size > 0) asked = new Map();
    }
    before = role;
    for (let place = 0; place < content.length; place++) {
      const block = content[place]!;
      if (block.type === 'tool-use') {
        const path = blockPath(message, index, place);
        if (asked.has(block.id)) throw refusal(path, words.askedTwice, block.id);
        asked.set(block.id, { path, isAnswered: false });
      } else if (block.type === 'opaque') {
        const { type, id } = block.opaque.value;
        if ((type === 'server_tool_use' || type === 'mcp_tool_use') && typeof id === 'string') {
          asked.set(id, { path: blockPath(message, index, place), isAnswered: undefined });
        }
      } else if (block.type === 'tool-result') {
        const { toolUseId } = block;
        const call = asked.get(toolUseId);
        const path = `${blockPath(message, index, place)}.${words.field}`;
        if (call === undefined) throw refusal(path, words.unasked, toolUseId);
        if (call.isAnswered === true) throw refusal(path, words.answeredTwice, toolUseId);
        call.isAnswered = true;
      }
    }
  }
  refuseUnanswered(asked, words);
}

/** Names the first. */
function refuseUnanswered(asked: ReadonlyMap<string, AskedCall>, words: ToolPairMessages): void {
  for (const [id, { path, isAnswered }] of asked) {
    if (isAnswered === false) throw refusal(path, words.unanswered, id);
  }
}

const refusal = (path: string, word: (id: string) => string, id: string): GatewayError =>
  new GatewayError('invalid-request', `${path}: ${word(shortened(id))}`);
