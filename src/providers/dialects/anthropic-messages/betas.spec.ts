// Goal: each field that needs a beta adds it, whether or not the caller names it; nothing else adds one. Method: a body
// for every row of the table, alone and beside other callers' fields.
import type { JsonObject } from '../../../core/json/json.js';
import { betasOf, FIELD_BETAS } from './betas.js';

/** For each row of the table, a body that uses it and one that does not. */
const BODIES: Readonly<Record<string, readonly [uses: JsonObject, not: JsonObject]>> = {
  speed: [{ speed: 'fast' }, { speed: undefined }],
  context_management: [{ context_management: { edits: [] } }, { context_management: null }],
  'context_management.edits: compact_20260112': [
    { context_management: { edits: [{ type: 'compact_20260112' }] } },
    { context_management: { edits: [{ type: 'clear_thinking_20251015' }] } },
  ],
  'output_config.task_budget': [
    { output_config: { task_budget: { type: 'tokens', total: 20_000 } } },
    { output_config: { effort: 'low', task_budget: null } },
  ],
  'thinking.display: updates': [
    { thinking: { type: 'adaptive', display: 'updates' } },
    { thinking: { type: 'adaptive', display: 'omitted' } },
  ],
  'thinking.block_binding': [
    { thinking: { type: 'adaptive', block_binding: { type: 'none' } } },
    { thinking: { type: 'adaptive', block_binding: null } },
  ],
  mcp_servers: [{ mcp_servers: [{ type: 'url' }] }, { mcp_servers: [] }],
  'messages: source file': [
    { messages: [{ role: 'user', content: [{ type: 'document', source: { type: 'file', file_id: 'f' } }] }] },
    {
      messages: [
        { role: 'user', content: 'f' },
        { role: 'user', content: [{ type: 'text', text: 'f' }] },
      ],
    },
  ],
  'container.skills': [{ container: { skills: [{}] } }, { container: 'id' }],
};
for (const [field] of FIELD_BETAS) {
  const [, type] = field.split('tools: ');
  if (type !== undefined) Object.assign(BODIES, { [field]: [{ tools: [{ type }] }, { tools: [{ type: 'custom' }] }] });
}

describe('betasOf', () => {
  it.each(FIELD_BETAS.map(([field, beta]) => [field, beta] as const))('sends with %s %s', (field, beta) => {
    const [uses, not] = BODIES[field]!;
    expect(betasOf(uses, [])).toContain(beta);
    expect(betasOf(not, [])).not.toContain(beta);
    expect(betasOf(uses, ['mine-1'])[0]).toBe('mine-1');
  });

  it.each<[string, JsonObject]>([
    ['in a result', { type: 'tool_result', content: [{ type: 'image', source: { type: 'file', file_id: 'f' } }] }],
    ['for the container', { type: 'container_upload', file_id: 'f' }],
  ])('sends that of files with one %s', (_, block) => {
    expect(betasOf({ messages: [{ role: 'user', content: [block] }] }, [])).toEqual(['files-api-2025-04-14']);
  });

  it('adds nothing to a plain body', () => {
    const own = ['a', 'b'];
    expect(betasOf({ model: 'm', messages: [], tools: [{ name: 'look' }] }, own)).toBe(own);
  });

  it('leaves the form of a beta to who names one', () => {
    const later = ['context-management-2026-12-01'];
    expect(betasOf({ context_management: { edits: [] } }, later)).toEqual(later);
  });

  it('names one beta once, whatever needs it', () => {
    const tools = [{ type: 'web_fetch_20260209' }, { type: 'web_search_20260209' }];
    expect(betasOf({ tools }, [])).toEqual(['code-execution-web-tools-2026-02-09']);
  });
});
