// Goal: what a fetch meets outside is a result, and a fault of ours is none: it goes on to whoever logs it. Method: the
// tool over a made-up fetch.
import { extensionContext } from '../../../test/support/extension-context.js';
import { setupWith } from '../../../test/support/search-tool.js';
import { ExtensionFault } from '../../core/extension.js';
import type { ServedTool, ToolResult } from '../../core/tool.js';
import { webFetch } from './web-fetch.js';

function fetchMeeting(error: Error): Promise<ToolResult> {
  const asked = { type: 'openrouter:web_fetch', parameters: {}, path: 'tools.0' };
  const tool = webFetch.offer(asked, setupWith({})) as ServedTool;
  const guardedFetch = { allows: () => true, fetch: () => Promise.reject(error) };
  return tool.run({ url: 'https://one.example/' }, { context: extensionContext({ guardedFetch }), number: 1 });
}

it('tells what it met', async () => {
  const { isError, content } = await fetchMeeting(new ExtensionFault('not-found', 'There is no such page.'));
  expect([isError, content]).toEqual([true, expect.objectContaining({ error_code: 'url_not_accessible' })]);
});

it('leaves a fault of ours to its caller', async () => {
  const fault = new TypeError('no function');
  await expect(fetchMeeting(fault)).rejects.toBe(fault);
});
