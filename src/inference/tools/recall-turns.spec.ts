// Turns as faces read them: a conversation that comes back is restored as its models had it, each use of the gateway's
// tools as a call and a separate result, in the order of the steps, whatever format it came in.
import { unseal } from '../../../test/support/extension-context.js';
import type { ContentBlock, Message } from '../../core/conversation/content.js';
import { GATEWAY_TOOLS } from '../../core/conversation/reasoning-mark.js';
import type { JsonObject } from '../../core/json/json.js';
import { doAtOnce } from '../../core/steps.js';
import type { ServiceTool } from '../../core/tool.js';
import { findSeals, holdsToolTurns, openSeals, recallTurns } from './recall-turns.js';
import type { SealedUse } from './sealed-reply.js';

const OURS = 'srvtoolu_fl';
const lookup = {
  resultType: 'lookup_tool_result',
  recall: (content, open) => (open(content as JsonObject) as string | undefined) ?? 'expired',
  recallSources: (content, open) =>
    open(content as JsonObject) === undefined ? [] : [{ url: `https://${open(content as JsonObject) as string}` }],
  isFailure: (content) => (content as JsonObject)['status'] === 'lost',
} as Partial<ServiceTool> as ServiceTool;
const TOOLS = new Map([[lookup.resultType, lookup]]);

const sealed = (value: unknown): string => `sealed:${Buffer.from(JSON.stringify(value)).toString('base64url')}`;
const text = (words: string): ContentBlock => ({ type: 'text', text: words });
const opaque = (value: JsonObject): ContentBlock => ({ type: 'opaque', opaque: { vendor: 'anthropic', value } });
const call = (id: string): ContentBlock =>
  opaque({ type: 'server_tool_use', id: OURS + id, name: 'lookup', input: { id } });
const result = (id: string, content: JsonObject = { encrypted_content: sealed(`of ${id}`) }): ContentBlock =>
  opaque({ type: 'lookup_tool_result', tool_use_id: OURS + id, content });
const user = (...content: ContentBlock[]): Message => ({ role: 'user', content });
const assistant = (...content: ContentBlock[]): Message => ({ role: 'assistant', content });
const callersUse: ContentBlock = { type: 'tool-use', id: 'c', name: 'look', input: {} };
const callersResult: ContentBlock = { type: 'tool-result', toolUseId: 'c', content: [] };

/** Turns in short form: `assistant: hello, use a`. */
const short = (messages: readonly Message[]): string[] =>
  messages.map(({ role, content }) => `${role}: ${content.map(shortBlock).join(', ')}`);

function shortBlock(block: ContentBlock): string {
  if (block.type === 'text') return block.text;
  if (block.type === 'tool-use') return `use ${block.id.replace(OURS, '')}`;
  if (block.type !== 'tool-result') return block.type;
  const words = block.content.map((part) => (part.type === 'text' ? part.text : part.type)).join();
  return `${block.isError ? 'failure' : 'result'} ${block.toolUseId.replace(OURS, '')}${words && ` ${words}`}`;
}
const recall = (messages: readonly Message[], taken: readonly string[] = []): Message[] => {
  const opened = doAtOnce(openSeals(doAtOnce(findSeals(messages)), unseal));
  return doAtOnce(recallTurns(messages, { tools: TOOLS, opened, taken: new Set(taken) }));
};
const recalled = (...messages: Message[]): string[] => short(recall(messages));

it('restores the sources of a result, in either format', () => {
  const sourcesOf = (messages: readonly Message[]): unknown[] =>
    messages.flatMap(({ content }) =>
      content.flatMap((block) => (block.type === 'tool-result' ? [block.sources] : [])),
    );
  expect(sourcesOf(recall([assistant(call('a'), result('a'), call('b'), result('b', {}))]))).toEqual([
    [{ url: 'https://of a' }],
    undefined,
  ]);
  const use = { id: `${OURS}a`, name: 'lookup', input: {}, text: 't', isError: false, step: 1, isShared: false, said: '', thoughts: 0 }; // oxfmt-ignore
  const kept = (parts: object): ContentBlock => ({
    type: 'redacted-thinking',
    data: sealed({ ...use, ...parts }),
    mark: { format: GATEWAY_TOOLS },
  });
  expect(sourcesOf(recall([assistant(kept({ sources: [{ url: 'u', title: 't' }] }), text('end'))]))).toEqual([
    [{ url: 'u', title: 't' }],
  ]);
  expect(sourcesOf(recall([assistant(kept({}), text('end'))]))).toEqual([undefined]);
});

it.each<[string, Message[], string[]]>([
  [
    'each step a turn of its own',
    [user(text('q')), assistant(text('one'), call('a'), result('a'), text('two'), call('b'), result('b'), text('end'))],
    ['user: q', 'assistant: one, use a', 'user: result a of a', 'assistant: two, use b', 'user: result b of b', 'assistant: end'],
  ],
  [
    'several uses of one step together',
    [assistant(call('a'), call('b'), result('a'), result('b'), text('end'))],
    ['assistant: use a, use b', 'user: result a of a, result b of b', 'assistant: end'],
  ],
  [
    'results beside those of the caller',
    [assistant(call('a'), callersUse, result('a')), user(callersResult, text('so'))],
    ['assistant: use a, use c', 'user: result a of a, result c, so'],
  ],
  ['results before the caller’s next turn', [assistant(call('a'), result('a')), user(text('go on'))], ['assistant: use a', 'user: result a of a, go on']],
  ['results at the end', [assistant(call('a'), result('a'))], ['assistant: use a', 'user: result a of a']],
  ['no call that was not run', [assistant(text('one'), call('a'))], ['assistant: one']],
  ['no call among others that was not run', [assistant(call('a'), call('b'), result('a'), text('end'))], ['assistant: use a', 'user: result a of a', 'assistant: end']],
  ['no result without its call', [user(text('q')), assistant(result('a'), text('end'))], ['user: q', 'assistant: end']],
  ['no result before its call', [assistant(result('a'), call('a'), text('end'))], ['assistant: end']],
  ['a repeated result once', [assistant(call('a'), result('a'), result('a'), text('end'))], ['assistant: use a', 'user: result a of a', 'assistant: end']],
  ['a repeated call once', [assistant(call('a'), call('a'), result('a'), text('end'))], ['assistant: use a', 'user: result a of a', 'assistant: end']],
  ['a call and its result in two messages as a pair', [assistant(text('one'), call('a')), assistant(result('a'), text('end'))], ['assistant: one, use a', 'user: result a of a', 'assistant: end']],
  ['no result after further text', [assistant(call('a'), call('b'), result('a'), text('so'), result('b'))], ['assistant: use a', 'user: result a of a', 'assistant: so']],
  ['results before the next system turn', [assistant(call('a'), result('a')), { role: 'system', content: [text('s')] }, user(text('r'))], ['assistant: use a', 'user: result a of a', 'system: s', 'user: r']],
  ['a placeholder for the result of an unknown tool', [assistant(call('a'), opaque({ type: 'openrouter_shell_tool_result', tool_use_id: `${OURS}a`, content: {} }))], ['assistant: use a', 'user: result a The result of this tool can no longer be read.']],
  ['a placeholder for a seal that cannot be opened', [assistant(call('a'), result('a', { encrypted_content: 'fl1.gone' }))], ['assistant: use a', 'user: result a expired']],
  ['a failure', [assistant(call('a'), result('a', { status: 'lost', encrypted_content: sealed('no') }))], ['assistant: use a', 'user: failure a no']],
  ['no failure that only another tool would encode so', [assistant(call('a'), result('a', { error_code: 'unavailable', encrypted_content: sealed('no') }))], ['assistant: use a', 'user: result a no']],
  ['nothing else', [user(text('q')), assistant(callersUse), user(callersResult)], ['user: q', 'assistant: use c', 'user: result c']],
])('restores %s', (_, messages, expected) => {
  expect(recalled(...messages)).toEqual(expected);
}); // oxfmt-ignore

const use = (id: string, fields: Partial<SealedUse> = {}): ContentBlock => ({
  type: 'redacted-thinking',
  data: sealed({
    id: OURS + id,
    name: 'lookup',
    input: {},
    text: `of ${id}`,
    isError: false,
    step: 1,
    isShared: false,
    said: '',
    thoughts: 0,
    ...fields,
  }),
  mark: { format: GATEWAY_TOOLS },
});

it('puts uses that the chat format returns sealed before the text, or beside the calls of their step', () => {
  expect(recalled(assistant(use('a'), use('b', { isShared: true, isError: true }), text('one'), callersUse), user(callersResult))).toEqual([
    'assistant: use a',
    'user: result a of a',
    'assistant: one, use b, use c',
    'user: failure b of b, result c',
  ]);
}); // oxfmt-ignore

it('names a tool as its models knew it, where the caller has one of that name', () => {
  const [, turn] = recall([user(text('q')), assistant(call('a'), result('a'))], ['lookup', 'lookup_2']);
  expect(turn!.content).toMatchObject([{ type: 'tool-use', name: 'lookup_3' }]);
  const [sealedTurn] = recall([assistant(use('a'))], ['lookup']);
  expect(sealedTurn!.content).toMatchObject([{ type: 'tool-use', name: 'lookup_2' }]);
});

it('keeps cache markers on calls and results', () => {
  const marked = (block: ContentBlock, ttl?: string): ContentBlock => {
    if (block.type !== 'opaque') return block;
    return opaque({ ...block.opaque.value, cache_control: { type: 'ephemeral', ...(ttl && { ttl }) } });
  };
  const turns = recall([assistant(marked(call('a')), marked(result('a'), '1h'))]);
  expect(turns.flatMap(({ content }) => content.map(({ cacheMarker }) => cacheMarker))).toEqual([{}, { ttl: '1h' }]);
});

it('leaves out what was sealed elsewhere', () => {
  const forged: ContentBlock = { type: 'redacted-thinking', data: 'fl1.x', mark: { format: GATEWAY_TOOLS } };
  expect(recalled(assistant(forged, text('one')))).toEqual(['assistant: one']);
});

it('keeps the original path of each block', () => {
  const messages = [user(text('q')), assistant(call('a'), result('a'), text('end')), user(text('r'))];
  expect(recall(messages).map(({ paths }) => paths)).toEqual([
    ['messages.0.content.0'],
    ['messages.1.content.0'],
    undefined,
    ['messages.1.content.2'],
    ['messages.2.content.0'],
  ]);
});

it('opens a few seals in each step, however many seals or pages of a result there are', () => {
  const page = (): JsonObject => ({ encrypted_content: sealed('word '.repeat(20_000)) });
  const pages = opaque({
    type: 'lookup_tool_result',
    tool_use_id: `${OURS}a`,
    content: Array.from({ length: 20 }, page),
  });
  const messages = [assistant(call('a'), pages, ...Array.from({ length: 20 }, (_, index) => use(`b${index}`)))];
  const seals = doAtOnce(findSeals(messages));
  expect(seals.size).toBe(40);
  const opened: number[] = [];
  let inStep = 0;
  const steps = openSeals(seals, () => ++inStep);
  while (!steps.next().done) {
    opened.push(inStep);
    inStep = 0;
  }
  // 130 KiB each.
  expect(opened.length).toBeGreaterThan(5);
  expect(Math.max(...opened)).toBeLessThanOrEqual(3);
  const ids = Array.from({ length: 20 }, (_, index) => `r${index}`);
  const results = ids.map((id) => result(id));
  const long = new Map(
    results.map((block) => [
      (block as { opaque: { value: JsonObject } }).opaque.value['content'] as object,
      'word '.repeat(20_000),
    ]),
  );
  const turn = assistant(...ids.map(call), ...results);
  const recalling = recallTurns([turn], { tools: TOOLS, opened: long, taken: new Set() });
  expect([recalling.next().done, recalling.next().done]).toEqual([false, false]);
  const many = Array.from({ length: 5_000 }, () => assistant(call('a'), result('a')));
  const finding = findSeals(many);
  expect(finding.next().done).toBe(false);
  expect(recallTurns(many, { tools: TOOLS, opened: new Map(), taken: new Set() }).next().done).toBe(false);
});

it('finds the seals to open', () => {
  const messages = [assistant(call('a'), result('a'), use('b'))];
  expect([...doAtOnce(findSeals(messages)).values()]).toEqual([sealed('of a'), expect.stringMatching(/^sealed:/)]);
  expect(holdsToolTurns(messages)).toBe(true);
  expect(holdsToolTurns([user(text('q')), assistant(callersUse, opaque({ type: 'server_tool_use', id: 'srvtoolu_01' }))])).toBe(false);
}); // oxfmt-ignore
