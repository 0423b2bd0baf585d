import { GatewayError } from '../core/errors.js';
import { shortened } from '../shared/http/schema.js';
import type { WireMessage } from './schemas/messages.js';

/**
 * Every tool call of an assistant turn has its result in the user turn that follows, and every result its call: no provider
 * takes anything else, so it is refused before one is asked (FAILURES A18). Messages of one role in a row are one turn, and
 * system messages may stand anywhere, as the vendor reads it. Calls of tools the vendor runs are answered by the vendor.
 * @throws GatewayError naming the message and the call
 */
export function assertToolPairs(messages: readonly WireMessage[]): void {
  /** Calls of the last assistant turn, and where each stands. */
  let asked = new Map<string, string>();
  /** Those without a result so far. */
  let open = new Map<string, string>();
  let before: WireMessage['role'] | undefined;
  for (let index = 0; index < messages.length; index++) {
    const { role, content } = messages[index]!;
    if (role === 'system') continue;
    if (role === 'assistant' && before !== 'assistant') {
      assertAnswered(open);
      if (asked.size > 0) {
        asked = new Map();
        open = new Map();
      }
    }
    before = role;
    if (typeof content === 'string') continue;
    for (let place = 0; place < content.length; place++) {
      const block = content[place]!;
      if (block.type === 'tool_use') {
        const path = `messages.${index}.content.${place}`;
        asked.set(block.id, path);
        open.set(block.id, path);
      } else if (block.type === 'server_tool_use' || block.type === 'mcp_tool_use') {
        asked.set(block.id, '');
      } else if (block.type === 'tool_result') {
        if (!asked.has(block.tool_use_id)) {
          throw new GatewayError(
            'invalid-request',
            `messages.${index}.content.${place}.tool_use_id: the assistant message before it has no tool_use ${shortened(block.tool_use_id)}`,
          );
        }
        open.delete(block.tool_use_id);
      }
    }
  }
  assertAnswered(open);
}

function assertAnswered(open: ReadonlyMap<string, string>): void {
  for (const [id, path] of open) {
    throw new GatewayError(
      'invalid-request',
      `${path}: tool_use ${shortened(id)} has no tool_result in the user message that follows; send its result or leave the call out`,
    );
  }
}
