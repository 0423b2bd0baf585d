import { blockPath, type Message } from '../core/conversation/content.js';
import { GatewayError } from '../core/errors.js';
import { shortened } from '../core/shortened.js';

/** How a face calls what must be paired. */
export interface ToolPairMessages {
  /** Below the result: the field that names the call. */
  readonly field: string;
  readonly unasked: (id: string) => string;
  readonly unanswered: (id: string) => string;
}

/**
 * Every tool call of an assistant turn has its result in the user turn that follows, and every result its call: no
 * provider takes anything else, so it is refused before one is asked
 * (docs/reasons/translation.md#calls-without-results). Messages of one role in a row are one turn, and system messages
 * may stand anywhere, as the vendor reads it. Calls of tools the vendor runs are answered by the vendor.
 * @throws GatewayError naming the message and the call
 */
export function assertToolPairs(messages: readonly Message[], words: ToolPairMessages): void {
  /** Calls of the last assistant turn, and where each stands. */
  let asked = new Map<string, string>();
  /** Those without a result so far. */
  let open = new Map<string, string>();
  let before: Message['role'] | undefined;
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index]!;
    const { role, content } = message;
    if (role === 'system') continue;
    if (role === 'assistant' && before !== 'assistant') {
      if (open.size > 0) refuseUnanswered(open, words);
      if (asked.size > 0) {
        asked = new Map();
        open = new Map();
      }
    }
    before = role;
    for (let place = 0; place < content.length; place++) {
      const block = content[place]!;
      if (block.type === 'tool-use') {
        const path = blockPath(message, index, place);
        asked.set(block.id, path);
        open.set(block.id, path);
      } else if (block.type === 'opaque') {
        const { type, id } = block.opaque.value;
        if ((type === 'server_tool_use' || type === 'mcp_tool_use') && typeof id === 'string') asked.set(id, '');
      } else if (block.type === 'tool-result') {
        if (!asked.has(block.toolUseId)) {
          const path = `${blockPath(message, index, place)}.${words.field}`;
          throw new GatewayError('invalid-request', `${path}: ${words.unasked(shortened(block.toolUseId))}`);
        }
        open.delete(block.toolUseId);
      }
    }
  }
  if (open.size > 0) refuseUnanswered(open, words);
}

/** Names the first. */
function refuseUnanswered(open: ReadonlyMap<string, string>, words: ToolPairMessages): void {
  for (const [id, path] of open) {
    throw new GatewayError('invalid-request', `${path}: ${words.unanswered(shortened(id))}`);
  }
}
