import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CatalogEntry } from '../support/app.js';

const usage = { prompt_tokens: 9, completion_tokens: 1, total_tokens: 10 };
const choices = [{ index: 0, message: { role: 'assistant', content: 'Taken.' }, finish_reason: 'stop' }];
const REPLY = JSON.stringify({ id: 'c', object: 'chat.completion', created: 1, model: 'm', choices, usage });

/**
 * A provider that takes any body without a look at it, so that what attackers send costs the gateway and not the test.
 */
export class DiscardingProvider {
  private constructor(private readonly server: Server) {}

  static async open(): Promise<DiscardingProvider> {
    const server = createServer((request, response) => {
      request.resume().on('end', () => response.setHeader('content-type', 'application/json').end(REPLY));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new DiscardingProvider(server);
  }

  /** `test/roomy`: its context takes any prompt, so that the largest body goes all the way. */
  get entry(): CatalogEntry {
    const { port } = this.server.address() as AddressInfo;
    return {
      id: 'test/roomy',
      at: [{ url: `http://127.0.0.1:${port}/v1`, dialect: 'openai-chat' }],
      model: { context_length: 100_000_000 },
    };
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
