// A call records from its events the facts that decide its charge.
import type { BlockStart, ModelEvent } from '../conversation/event.js';
import { ProviderCall } from './provider-call.js';

const call = (): ProviderCall => new ProviderCall(0, {} as never, { credential: 'shared' } as never);
const observed = (...events: ModelEvent[]): ProviderCall => {
  const one = call();
  one.observe(events);
  return one;
};
const begin = (block: BlockStart): ModelEvent => ({ type: 'block-start', index: 0, block });
const words = (text: string): ModelEvent => ({ type: 'block-delta', index: 0, delta: { type: 'text', text } });
const json = (text: string): ModelEvent => ({
  type: 'block-delta',
  index: 0,
  delta: { type: 'input-json', json: text },
});
const tool = (caller?: string): BlockStart => ({
  type: 'tool-use',
  id: 'a',
  name: 'b',
  ...(caller !== undefined && { extras: { vendor: 'anthropic', value: { caller: { type: caller } } } }),
});

describe('ProviderCall', () => {
  it('counts the output of the model in bytes', () => {
    expect(observed(begin({ type: 'text' }), words('aé'), words('😀'), json('{}')).outputBytes).toBe(9);
  });

  it.each([
    ['the model itself', undefined, 2],
    ['the model itself, stated explicitly', 'direct', 2],
    ['a program that the vendor runs', 'code_execution_20250825', 0],
  ])('counts calls of tools by %s', (_, caller, bytes) => {
    expect(observed(begin(tool(caller)), json('{}')).outputBytes).toBe(bytes);
    expect(observed(begin(tool(caller)), json('{}'), begin({ type: 'text' }), words('a')).outputBytes).toBe(bytes + 1);
  });

  it('records whether the last report came after the last content', () => {
    const usage = { outputTokens: 1 };
    expect(call().isReportFinal).toBe(false);
    expect(observed({ type: 'usage', usage, isInterim: true }).isReportFinal).toBe(false);
    expect(observed({ type: 'usage', usage, isInterim: true }, { type: 'usage', usage }).isReportFinal).toBe(true);
  });

  it.each<[string, BlockStart, boolean]>([
    ['a text', { type: 'text' }, false],
    ['a call of the caller’s tool', tool(), false],
    ['a call of the vendor’s', { type: 'server-tool-use', id: 'a', name: 'b' }, true],
    ['a block of the vendor’s own', { type: 'opaque', opaque: { vendor: 'anthropic', value: {} } }, true],
  ])('detects by %s whether the vendor ran a tool', (_, block, ran) => {
    expect(observed(begin(block)).ranVendorTool).toBe(ran);
  });

  it.each([
    [{ type: 'web_search_result_location', url: 'https://a' }, true],
    [{ type: 'web_search_result_location', url: 'https://a', encrypted_index: '' }, true],
    [{ type: 'web_search_result_location', url: 'https://a', encrypted_index: 'of an earlier search' }, false],
    [{ type: 'char_location', document_index: 0 }, false],
    [null, false],
  ])('detects by the citation %j whether a page is cited without a visible search', (citation, cites) => {
    const one = observed({ type: 'block-delta', index: 0, delta: { type: 'citation', citation } });
    expect(one.citesPages).toBe(cites);
    expect(one.outputBytes).toBe(0);
  });

  it('counts searches by their calls', () => {
    const call = (name: string) => begin({ type: 'server-tool-use', id: 'a', name });
    expect(observed(call('web_search'), call('web_fetch'), call('web_search')).searchCalls).toBe(2);
  });
});
