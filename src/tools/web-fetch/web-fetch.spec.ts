// A failure of the web becomes a result; a fault of the gateway is thrown on, to be logged.
import { extensionContext } from '../../../test/support/extension-context.js';
import { setupWith } from '../../../test/support/search-tool.js';
import { ExtensionFault } from '../../core/extension.js';
import type { GatewayRunTool, ToolResult } from '../../core/tool.js';
import { webFetch } from './web-fetch.js';

function fetchMeeting(error: Error): Promise<ToolResult> {
  const requested = { type: 'openrouter:web_fetch', parameters: {}, path: 'tools.0' };
  const tool = webFetch.offer(requested, setupWith({})) as GatewayRunTool;
  const guardedFetch = { allows: () => true, fetch: () => Promise.reject(error) };
  return tool.run({ url: 'https://one.example/' }, { context: extensionContext({ guardedFetch }), number: 1 });
}

it('returns the failure', async () => {
  const { isError, content } = await fetchMeeting(new ExtensionFault('not-found', 'There is no such page.'));
  expect([isError, content]).toEqual([true, expect.objectContaining({ error_code: 'url_not_accessible' })]);
});

it('throws a fault of the gateway', async () => {
  const fault = new TypeError('no function');
  await expect(fetchMeeting(fault)).rejects.toBe(fault);
});
