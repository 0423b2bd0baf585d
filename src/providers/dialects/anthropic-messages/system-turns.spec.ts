// Goal: instructions among the turns reach Claude in a role and at a position that the vendor takes, each once and in
// order. Method: conversations with one letter a turn, encoded for a model that takes the role and for one that does
// not; the roles and texts of the turns that are sent.
import { endpoint, model } from '../../../../test/support/route-inputs.js';
import { modelRequest } from '../../../../test/support/model-request.js';
import { printJson, type JsonObject } from '../../../core/json/json.js';
import type { ContentBlock, Message } from '../../../core/conversation/content.js';
import type { Target } from '../../../core/provider.js';
import { doAtOnce } from '../../../core/steps.js';
import { encodeMessages } from './encode.js';

const targetOf = (upstreamModel: string): Target => {
  const one = endpoint('p', { upstreamModel });
  const definition = { slug: 'p', credential: 'bearer', quirks: {} } as const;
  return { model: model('a/b', [one]), endpoint: one, tier: 'standard', definition };
};
const TAKES = targetOf('claude-opus-4-8');
const OLDER = targetOf('claude-opus-4-5');
const NOT_CLAUDE = targetOf('MiniMax-M2');

const ROLES = { u: 'user', a: 'assistant', s: 'system' } as const;
const turns = (roles: string): Message[] =>
  [...roles].map((letter, index) => ({
    role: ROLES[letter as keyof typeof ROLES],
    content: [{ type: 'text', text: `${index}` }],
  }));
const sentOf = (messages: readonly Message[], target: Target): JsonObject[] => {
  const { body } = doAtOnce(encodeMessages(modelRequest({ messages }), target));
  return (JSON.parse(printJson(body)) as { messages: JsonObject[] }).messages;
};
/** Writes turns as `u0 s1 u[2]`: text in brackets begins with the lead of instructions. */
const written = (sent: readonly JsonObject[]): string =>
  sent
    .map(({ role, content }) => {
      const texts = (content as { text: string }[]).map(({ text }) => text.replace(/^\[System\]\n(.*)$/, '[$1]'));
      return `${(role as string)[0]}${texts.join('')}`;
    })
    .join(' ');

it.each<[string, string, string]>([
  ['us', 'u0 s1', 'u0 u[1]'],
  ['usau', 'u0 s1 a2 u3', 'u0 u[1] a2 u3'],
  ['su', 'u[0] u1', 'u[0] u1'],
  ['usu', 'u0 u[1] u2', 'u0 u[1] u2'],
  ['uasu', 'u0 a1 u[2] u3', 'u0 a1 u[2] u3'],
  ['uss', 'u0 s12', 'u0 u[1][2]'],
  ['ussau', 'u0 s12 a3 u4', 'u0 u[1][2] a3 u4'],
  ['ssu', 'u[0][1] u2', 'u[0][1] u2'],
  ['usausau', 'u0 s1 a2 u3 s4 a5 u6', 'u0 u[1] a2 u3 u[4] a5 u6'],
])('%s: %s, and older models %s', (roles, taken, older) => {
  expect(written(sentOf(turns(roles), TAKES))).toBe(taken);
  expect(written(sentOf(turns(roles), OLDER))).toBe(older);
  expect(written(sentOf(turns(roles), NOT_CLAUDE))).toBe(older);
});

const call: ContentBlock = { type: 'tool-use', id: 'c1', name: 'f', input: {} };
const result: ContentBlock = { type: 'tool-result', toolUseId: 'c1', content: [{ type: 'text', text: 'Sun' }] };
const note: Message = { role: 'system', content: [{ type: 'text', text: 'Now', cacheMarker: { ttl: '1h' } }] };

it('puts no instructions between calls and their results', () => {
  const messages: Message[] = [
    ...turns('u'),
    { role: 'assistant', content: [call] },
    note,
    { role: 'user', content: [result] },
  ];
  const kinds = (sent: readonly JsonObject[]) =>
    sent.map(({ role, content }) => [role, ...(content as { type: string }[]).map(({ type }) => type)]);
  const behind = [['user', 'text'], ['assistant', 'tool_use'], ['user', 'tool_result']]; // oxfmt-ignore
  expect(kinds(sentOf(messages, TAKES))).toEqual([...behind, ['system', 'text']]);
  expect(kinds(sentOf(messages, OLDER))).toEqual([...behind, ['user', 'text']]);
});

it('keeps cache markers', () => {
  expect(sentOf([...turns('u'), note], OLDER).at(-1)).toEqual({
    role: 'user',
    content: [{ type: 'text', text: '[System]\nNow', cache_control: { type: 'ephemeral', ttl: '1h' } }],
  });
});

it('prints a turn at its position unchanged', () => {
  const value = { role: 'system', content: 'Now', output_config: { effort: 'low' } };
  const came: Message = { ...note, origin: { vendor: 'anthropic', value } };
  expect(sentOf([...turns('u'), came], TAKES).at(-1)).toEqual(value);
});

const change: ContentBlock = {
  type: 'opaque',
  opaque: { vendor: 'anthropic', value: { type: 'tool_addition', tool: { type: 'tool_reference', name: 'f' } } },
};

it('refuses by name what only such a turn may hold, where the model takes none', () => {
  const messages: Message[] = [...turns('u'), { role: 'system', content: [change] }];
  expect(() => sentOf(messages, OLDER)).toThrow('messages.1.content.0: a block of type tool_addition in a system turn');
  expect(sentOf(messages, TAKES).at(-1)).toMatchObject({ role: 'system', content: [{ type: 'tool_addition' }] });
});
