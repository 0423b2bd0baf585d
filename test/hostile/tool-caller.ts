import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CatalogEntry } from '../support/app.js';
import type { JsonBody } from '../support/recorded-request.js';

/** A call that the model makes. */
export interface ToolCall {
  readonly name: string;
  readonly input: object;
}

const usage = { prompt_tokens: 9, completion_tokens: 1, total_tokens: 10 };

/**
 * A provider of the attacker's: its model makes the calls that its first message lists, in JSON, and then ends its
 * turn.
 */
export class ToolCaller {
  private constructor(private readonly server: Server) {}

  static async open(): Promise<ToolCaller> {
    const server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        const { messages }: JsonBody = JSON.parse(Buffer.concat(parts).toString());
        const message = messages.at(-1).role === 'tool' ? DONE : callsOf(messages[0].content);
        const choices = [{ index: 0, message, finish_reason: message === DONE ? 'stop' : 'tool_calls' }];
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ id: 'c', object: 'chat.completion', created: 1, model: 'm', choices, usage }));
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new ToolCaller(server);
  }

  /** `test/caller`. */
  get entry(): CatalogEntry {
    const { port } = this.server.address() as AddressInfo;
    return {
      id: 'test/caller',
      at: [{ url: `http://127.0.0.1:${port}/v1`, dialect: 'openai-chat' }],
      model: { context_length: 100_000_000 },
    };
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

const DONE = { role: 'assistant', content: 'Done.' };

const callsOf = (content: string | { readonly text: string }[]): object => ({
  role: 'assistant',
  content: null,
  tool_calls: (JSON.parse(typeof content === 'string' ? content : content[0]!.text) as ToolCall[]).map(
    ({ name, input }, index) => ({
      id: `call_${index}`,
      type: 'function',
      function: { name, arguments: JSON.stringify(input) },
    }),
  ),
});
