// A whole reply shows every key of docs/use/messages.md#reply, whatever was reported. Whole views are compared; tables
// for stop reasons, usage and blocks.
import { endpoint } from '../../../test/support/route-inputs.js';
import { generationView } from '../../../test/support/generation-view.js';
import type { Bill } from '../../core/money/bill.js';
import type { BlockStart, StopReason, UnifiedStop } from '../../core/conversation/event.js';
import type { Reply, ReplyBlock } from '../../core/conversation/reply.js';
import type { Usage } from '../../core/conversation/usage.js';
import { ProviderFault } from '../../core/errors.js';
import type { JsonObject, Opaque } from '../../core/json/json.js';
import { doAtOnce } from '../../core/steps.js';
import { viewReply, viewUsage } from './view-reply.js';

const RATE: Bill['rate'] = { endpoint: endpoint('one'), tier: 'standard' };
const BILL: Bill = {
  rate: RATE,
  beyondPlan: 0n,
  isByok: false,
  cost: 500_000_000_000n,
  byokCost: 0n,
  list: { prompt: 200_000_000_000n, completion: 300_000_000_000n, tools: 0n, total: 500_000_000_000n },
};
const META = generationView({ id: 'gen-1-a', bill: BILL });
const END: StopReason = { unified: 'end-turn', raw: 'stop', vendor: 'openai' };
const anthropic = (value: JsonObject): Opaque => ({ vendor: 'anthropic', value });

const block = (start: BlockStart, rest: Partial<ReplyBlock> = {}): ReplyBlock => ({
  start,
  text: '',
  signature: undefined,
  citations: [],
  opaqueDeltas: [],
  ...rest,
});
const EMPTY = {
  id: undefined,
  model: undefined,
  startExtras: undefined,
  endExtras: undefined,
  computed: undefined,
  weight: 0,
};
const reply = (parts: Partial<Reply>): Reply => ({ ...EMPTY, blocks: [], usage: {}, stop: END, ...parts });
const contentOf = (...blocks: ReplyBlock[]): unknown => doAtOnce(viewReply(META, reply({ blocks })))['content'];

describe('viewReply', () => {
  it('shows every key when little was reported', () => {
    expect(doAtOnce(viewReply(META, reply({ blocks: [block({ type: 'text' }, { text: 'Hi' })] })))).toEqual({
      id: 'gen-1-a',
      type: 'message',
      role: 'assistant',
      model: 'author/model',
      content: [{ type: 'text', text: 'Hi', citations: [] }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      stop_details: null,
      container: null,
      usage: {
        input_tokens: 0,
        output_tokens: 0,
        cache_creation: null,
        cache_creation_input_tokens: null,
        cache_read_input_tokens: null,
        inference_geo: null,
        server_tool_use: null,
        service_tier: null,
        output_tokens_details: null,
        cost: 0.5,
        cost_details: {
          upstream_inference_cost: null,
          upstream_inference_prompt_cost: 0.2,
          upstream_inference_completions_cost: 0.3,
          server_tool_cost: 0,
        },
        is_byok: false,
        iterations: [
          {
            type: 'message',
            input_tokens: 0,
            output_tokens: 0,
            cache_creation_input_tokens: 0,
            cache_read_input_tokens: 0,
            cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
          },
        ],
        speed: 'standard',
      },
      context_management: null,
      provider: 'Provider',
    });
  });

  it('shows what a vendor of this format sent, except the gateway’s own keys', () => {
    const container = { id: 'c', expires_at: 'e' };
    const view = doAtOnce(
      viewReply(
        META,
        reply({
          stop: { unified: 'other', raw: 'brand_new', vendor: 'anthropic', sequence: 'END' },
          startExtras: anthropic({ container, diagnostics: null }),
          endExtras: anthropic({
            stop_details: { type: 'x' },
            context_management: { applied_edits: [] },
            provider: 'Evil',
            router_metadata: {},
          }),
        }),
      ),
    );
    expect(view).toMatchObject({
      stop_reason: 'brand_new',
      stop_sequence: 'END',
      stop_details: { type: 'x' },
      container,
      context_management: { applied_edits: [] },
      provider: 'Provider',
      diagnostics: null,
    });
    expect(view).not.toHaveProperty('router_metadata');
  });

  it('shows the router metadata under both names', () => {
    const routerMetadata = { attempt: 1 };
    expect(
      doAtOnce(
        viewReply(
          {
            ...META,
            extras: { router_metadata: routerMetadata, openrouter_metadata: routerMetadata },
          },
          reply({}),
        ),
      ),
    ).toMatchObject({
      router_metadata: routerMetadata,
      openrouter_metadata: routerMetadata,
    });
  });

  it('keeps extras of other formats out', () => {
    const extras: Opaque = { vendor: 'openai', value: { system_fingerprint: 'x', stop_details: 'y' } };
    const view = doAtOnce(viewReply(META, reply({ startExtras: extras, endExtras: extras })));
    expect(view).not.toHaveProperty('system_fingerprint');
    expect(view['stop_details']).toBeNull();
  });

  const REASONS: Record<UnifiedStop, string> = {
    'end-turn': 'end_turn',
    'output-limit': 'max_tokens',
    'context-limit': 'model_context_window_exceeded',
    'stop-sequence': 'stop_sequence',
    'tool-use': 'tool_use',
    pause: 'pause_turn',
    refusal: 'refusal',
    'content-filter': 'refusal',
    compaction: 'compaction',
    computed: 'end_turn',
    other: 'end_turn',
  };
  it.each(Object.entries(REASONS) as [UnifiedStop, string][])('shows the end %s as %s', (unified, reason) => {
    const view = doAtOnce(viewReply(META, reply({ stop: { unified, raw: 'theirs', vendor: 'openai' } })));
    expect(view['stop_reason']).toBe(reason);
    expect(view['stop_details']).toEqual(
      reason === 'refusal' ? { type: 'refusal', category: null, explanation: null } : null,
    );
    expect(doAtOnce(viewReply(META, reply({ stop: { unified, raw: null, vendor: 'anthropic' } })))['stop_reason']).toBe(
      reason,
    );
  });
});

describe('blocks of a whole reply', () => {
  const citation = { type: 'page_location' };

  it.each<[string, ReplyBlock, unknown]>([
    [
      'text with citations',
      block({ type: 'text', extras: anthropic({ citations: null, new_key: 1 }) }, { text: 'a', citations: [citation] }),
      { type: 'text', text: 'a', citations: [citation], new_key: 1 },
    ],
    [
      'thinking',
      block({ type: 'thinking' }, { text: 'hm', signature: 's' }),
      { type: 'thinking', thinking: 'hm', signature: 's' },
    ],
    [
      'unsigned thinking',
      block({ type: 'thinking' }, { text: 'hm' }),
      { type: 'thinking', thinking: 'hm', signature: '' },
    ],
    ['redacted thinking', block({ type: 'redacted-thinking', data: 'd' }), { type: 'redacted_thinking', data: 'd' }],
    [
      'a tool call',
      block(
        { type: 'tool-use', id: 'i', name: 'f', extras: anthropic({ caller: { type: 'direct' } }) },
        { text: '{"a":1}' },
      ),
      { type: 'tool_use', id: 'i', name: 'f', input: { a: 1 }, caller: { type: 'direct' } },
    ],
    [
      'a call without arguments',
      block({ type: 'tool-use', id: 'i', name: 'f' }),
      { type: 'tool_use', id: 'i', name: 'f', input: {} },
    ],
    [
      'a server tool call',
      block({ type: 'server-tool-use', id: 'i', name: 'web_search' }, { text: '{"query":"q"}' }),
      { type: 'server_tool_use', id: 'i', name: 'web_search', input: { query: 'q' } },
    ],
    [
      'an opaque block',
      block({ type: 'opaque', opaque: anthropic({ type: 'new_block', content: [1] }) }),
      { type: 'new_block', content: [1] },
    ],
    [
      'compaction, put together',
      block(
        { type: 'opaque', opaque: anthropic({ type: 'compaction', content: null }) },
        { opaqueDeltas: [anthropic({ type: 'compaction_delta', content: 'sum', encrypted_content: 'e' })] },
      ),
      { type: 'compaction', content: 'sum', encrypted_content: 'e' },
    ],
    [
      'an opaque call, put together',
      block(
        { type: 'opaque', opaque: anthropic({ type: 'mcp_tool_use', id: 'i', name: 'f', input: {} }) },
        { text: '{"a":1}' },
      ),
      { type: 'mcp_tool_use', id: 'i', name: 'f', input: { a: 1 } },
    ],
  ])('shows %s', (_name, given, expected) => {
    expect(contentOf(given)).toEqual([expected]);
  });

  it('leaves out blocks of another vendor', () => {
    const foreign = block({ type: 'opaque', opaque: { vendor: 'openai', value: { type: 'audio' } } });
    expect(contentOf(foreign, block({ type: 'text' }, { text: 'a' }))).toEqual([
      { type: 'text', text: 'a', citations: [] },
    ]);
  });

  it.each(['{"a":', '[1]', '"text"', 'null', '1'])('never shows the arguments %s as an input', (text) => {
    const call = block({ type: 'tool-use', id: 'i', name: 'f' }, { text });
    expect(() => contentOf(call)).toThrow(ProviderFault);
    expect(() => contentOf(call)).toThrow('arguments for the tool f that are no JSON object');
  });

  it.each(['output-limit', 'context-limit'] as const)('shows arguments cut by the %s as an empty object', (unified) => {
    const blocks = [block({ type: 'tool-use', id: 'i', name: 'f' }, { text: '{"a":"b' })];
    const view = doAtOnce(viewReply(META, reply({ blocks, stop: { unified, raw: 'length', vendor: 'openai' } })));
    expect(view['content']).toEqual([{ type: 'tool_use', id: 'i', name: 'f', input: {} }]);
  });

  it('keeps hostile keys in arguments as keys', () => {
    const call = block({ type: 'tool-use', id: 'i', name: 'f' }, { text: '{"__proto__":{"x":1}}' });
    expect(JSON.stringify(contentOf(call))).toContain('"input":{"__proto__":{"x":1}}');
  });
});

describe('viewUsage', () => {
  it.each<[string, Usage, JsonObject]>([
    ['tokens', { inputTokens: 3, outputTokens: 4 }, { input_tokens: 3, output_tokens: 4 }],
    ['cache reads', { cacheReadTokens: 0 }, { cache_read_input_tokens: 0, cache_creation: null }],
    [
      'cache writes',
      { cacheWriteTokens: 2, cacheWrite1hTokens: 3 },
      {
        cache_creation_input_tokens: 5,
        cache_creation: { ephemeral_5m_input_tokens: 2, ephemeral_1h_input_tokens: 3 },
      },
    ],
    [
      'cache writes of one kind',
      { cacheWrite1hTokens: 3 },
      {
        cache_creation_input_tokens: 3,
        cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 3 },
      },
    ],
    ['reasoning', { reasoningTokens: 6 }, { output_tokens_details: { thinking_tokens: 6 } }],
    ['searches', { webSearchRequests: 1 }, { server_tool_use: { web_search_requests: 1, web_fetch_requests: 0 } }],
    ['fetches', { webFetchRequests: 2 }, { server_tool_use: { web_search_requests: 0, web_fetch_requests: 2 } }],
    ['the tier', { serviceTier: 'priority' }, { service_tier: 'priority' }],
    ['the base tier', { serviceTier: 'default' }, { service_tier: 'standard' }],
    ['the speed', { speed: 'fast' }, { speed: 'fast' }],
    [
      "the vendor's own keys",
      {
        inputTokens: 1,
        inferenceGeo: 'us',
        extras: anthropic({
          input_tokens: 9,
          inference_geo: 'us',
          iterations: [{ type: 'message' }],
          new_key: 1,
          cost: 7,
        }),
      },
      { input_tokens: 1, inference_geo: 'us', iterations: [{ type: 'message' }], new_key: 1, cost: null },
    ],
    [
      'nothing of other vendors',
      { extras: { vendor: 'openai', value: { inference_geo: 'us' } } },
      { inference_geo: null },
    ],
  ])('shows %s', (_name, usage, expected) => {
    expect(viewUsage(usage, { bill: undefined, isByok: true })).toMatchObject({ ...expected, is_byok: true });
  });

  it('shows a fee, and what the caller pays elsewhere', () => {
    const bill = { ...BILL, isByok: true, cost: 25_000_000_000n, byokCost: 500_000_000_000n };
    expect(viewUsage({}, { bill, isByok: true })).toMatchObject({
      cost: 0.025,
      cost_details: { upstream_inference_cost: 0.5, upstream_inference_prompt_cost: 0.2 },
    });
  });

  it('reports a consulted model with the word that clients know, and its purpose', () => {
    const iterations = (['message', 'compaction', 'advisor', 'image-generation', 'fusion-judge'] as const).map(
      (kind) => ({
        kind,
        model: 'a/b',
      }),
    );
    const iterationViews = viewUsage({ iterations }, { bill: BILL, isByok: false })['iterations'] as JsonObject[];
    expect(iterationViews.map(({ type, purpose, model }) => [type, purpose, model])).toEqual([
      ['message', undefined, 'a/b'],
      ['compaction', undefined, 'a/b'],
      ['advisor_message', undefined, 'a/b'],
      ['advisor_message', 'image_generation', 'a/b'],
      ['advisor_message', 'fusion_judge', 'a/b'],
    ]);
  });

  it('lists the single call behind a reply, once it is over', () => {
    const usage = { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheWriteTokens: 4 };
    expect(viewUsage(usage, { bill: BILL, isByok: false })['iterations']).toEqual([
      {
        type: 'message',
        input_tokens: 1,
        output_tokens: 2,
        cache_creation_input_tokens: 4,
        cache_read_input_tokens: 3,
        cache_creation: { ephemeral_5m_input_tokens: 4, ephemeral_1h_input_tokens: 0 },
      },
    ]);
  });
});
