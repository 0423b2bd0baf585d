// Goal: the vendor receives the right part of a history, and thinking is left out where it must be. Method: tables of
// turns in shorthand.
import { targetOf } from '../../../../test/support/field-samples.js';
import { modelRequest } from '../../../../test/support/model-request.js';
import type { ContentBlock, Message } from '../../../core/conversation/content.js';
import type { ModelRequest, Thinking } from '../../../core/conversation/request.js';
import { doAtOnce } from '../../../core/steps.js';
import { thinkingThatFits } from '../open-tool-loop.js';
import { EncodeContext } from '../encode-context.js';
import { allTurns, keptTurns, type KeptTurn } from './history.js';
import { TABLE } from './table.js';

const BLOCKS: Readonly<Record<string, ContentBlock>> = {
  text: { type: 'text', text: 'x' },
  empty: { type: 'text', text: '' },
  thinking: { type: 'thinking', thinking: 't', signature: 's' },
  unsigned: { type: 'thinking', thinking: 't' },
  redacted: { type: 'redacted-thinking', data: 'd' },
  space: { type: 'text', text: ' \n' },
  foreign: { type: 'redacted-thinking', data: 'd', mark: { format: 'openai-responses-v1' } },
  portable: { type: 'redacted-thinking', data: 'd', mark: { format: 'anthropic-claude-v1', provider: 'p' } },
  ownEmpty: { type: 'text', text: '', origin: { vendor: 'anthropic', value: { type: 'text', text: '' } } },
  call: { type: 'tool-use', id: 'c', name: 'f', input: {} },
  result: { type: 'tool-result', toolUseId: 'c', content: [] },
  shellCall: {
    type: 'opaque',
    opaque: { vendor: 'anthropic', value: { type: 'server_tool_use', id: 'g', name: 'shell' } },
  },
  searchCall: {
    type: 'opaque',
    opaque: { vendor: 'anthropic', value: { type: 'server_tool_use', id: 'w', name: 'web' } },
  },
  shellResult: {
    type: 'opaque',
    opaque: { vendor: 'anthropic', value: { type: 'openrouter_shell_tool_result', tool_use_id: 'g' } },
  },
};

function turnsOf(messages: readonly Message[]): KeptTurn[] {
  const context = new EncodeContext(modelRequest({ messages }), targetOf({}), new Map(), TABLE);
  const turns = doAtOnce(keptTurns(messages, context));
  // The shortcut gives the same turns as the full pass.
  expect(allTurns(messages) ?? turns).toEqual(turns);
  return turns;
}

/** The shorthand of a history: `user text | assistant thinking call | user result`. */
const history = (shorthand: string): Message[] =>
  shorthand.split(' | ').map((turn) => {
    const [role, ...names] = turn.split(' ');
    return { role: role as Message['role'], content: names.map((name) => BLOCKS[name]!) };
  });

const requestOf = (messages: Message[], thinking: Thinking): ModelRequest => modelRequest({ messages, thinking });

it('knows a plain conversation by its traits, and looks through every other', () => {
  const all = history('user text | assistant text call | user result text');
  expect(allTurns(all)?.map(({ message, blocks }) => blocks === message.content)).toEqual([true, true, true]);
  const others = ['user text space', 'user text | assistant thinking text', 'user text | assistant shellCall', 'user'];
  for (const one of others) expect([one, allTurns(history(one))]).toEqual([one, undefined]);
  expect(allTurns([])).toBeUndefined();
});

describe('keptTurns', () => {
  it.each([
    ['user text | assistant unsigned text', 'user text | assistant text'],
    ['user text | assistant foreign text', 'user text | assistant text'],
    ['user text | assistant thinking redacted text', 'user text | assistant thinking redacted text'],
    ['user text | assistant unsigned | user text', 'user text | user text'],
    ['user text | assistant portable text', 'user text | assistant portable text'],
    ['user text | assistant empty call', 'user text | assistant call'],
    ['user text | assistant ownEmpty call', 'user text | assistant call'],
    ['user text | assistant space call', 'user text | assistant call'],
    ['user text space | assistant text', 'user text space | assistant text'],
    ['user text | assistant unsigned empty | user text', 'user text | user text'],
    ['user text | system empty | assistant text', 'user text | assistant text'],
    ['user text | assistant shellCall shellResult searchCall text', 'user text | assistant searchCall text'],
  ])('%s → %s', (before, after) => {
    expect(turnsOf(history(before)).map(({ message, blocks }) => ({ role: message.role, content: blocks }))).toEqual(
      history(after),
    );
  });

  it.each<[string, Thinking | undefined, boolean]>([
    ['claude-sonnet-4-5', undefined, true],
    ['claude-sonnet-4-5', { type: 'enabled', budgetTokens: 1024 }, false],
    ['claude-opus-4-7', undefined, false],
  ])(
    'keeps an empty last turn of the assistant where %s with thinking %j continues it: %s',
    (name, thinking, isKept) => {
      const { endpoint, model, ...rest } = targetOf({});
      const id = `anthropic/${name}`;
      const target = { ...rest, model: { ...model, id }, endpoint: { ...endpoint, upstreamModel: name } };
      for (const content of [[], [BLOCKS['empty']!]]) {
        const messages: Message[] = [...history('user text'), { role: 'assistant', content }];
        const request = modelRequest({ messages, ...(thinking && { thinking }) });
        const turns = doAtOnce(keptTurns(messages, new EncodeContext(request, target, new Map(), TABLE)));
        expect(turns.map(({ message, blocks }) => [message.role, blocks.length])).toEqual([
          ['user', 1],
          ...(isKept ? [['assistant', 0]] : []),
        ]);
      }
    },
  );

  it('keeps the indices that the caller knows', () => {
    const messages = history('assistant unsigned | user text | assistant empty call');
    expect(turnsOf(messages).map((turn) => turn.index)).toEqual([1, 2]);
  });

  it.each([
    ['an empty text', 'user empty'],
    ['several, and space', 'user empty space ownEmpty'],
  ])('refuses a turn of nothing but %s, by its path', (_name, turn) => {
    expect(() => turnsOf(history(`user text | ${turn}`))).toThrow(/^messages\.1\.content: is empty/);
    const [first] = history(turn);
    expect(() => turnsOf([{ ...first!, paths: ['messages.7.content'] }])).toThrow(/^messages\.7\.content: /);
  });

  it('looks through a long turn in many steps, and through a short one at once', () => {
    const stepsOf = (count: number): readonly void[] => {
      const content = Array.from({ length: count }, () => [BLOCKS['thinking']!, BLOCKS['shellResult']!]).flat();
      const messages: Message[] = [{ role: 'assistant', content: [...content, BLOCKS['text']!] }];
      return [...keptTurns(messages, new EncodeContext(modelRequest({ messages }), targetOf({}), new Map(), TABLE))];
    };
    expect(stepsOf(5_000).length).toBeGreaterThan(10_000 / 500);
    expect(stepsOf(5)).toEqual([]);
  });

  it('refuses a turn without any block', () => {
    expect(() => turnsOf([{ role: 'user', content: [] }])).toThrow(/^messages\.0\.content: is empty/);
  });
});

describe('thinkingThatFits', () => {
  const budget: Thinking = { type: 'enabled', budgetTokens: 1024 };
  const kept = (shorthand: string, thinking: Thinking): Thinking | undefined => {
    const messages = history(shorthand);
    return thinkingThatFits(requestOf(messages, thinking), turnsOf(messages), (turn) => turn);
  };

  it.each([
    ['the open turn begins with thinking', 'user text | assistant thinking call | user result'],
    ['the open turn begins with redacted thinking', 'user text | assistant redacted call | user result'],
    [
      'the turn thought once, at its start',
      'user text | assistant thinking call | user result | assistant call | user result',
    ],
    ['the turn without thinking is finished', 'user text | assistant call | user result | assistant text | user text'],
    ['no tool was called', 'user text | assistant text | user text'],
    ['a later question interrupts', 'user text | assistant call | user text'],
  ])('keeps a budget when %s', (_name, shorthand) => {
    expect(kept(shorthand, budget)).toBe(budget);
  });

  it.each([
    ['the open turn begins with a call', 'user text | assistant call | user result'],
    ['the open turn begins with text', 'user text | assistant text call | user result'],
    ['its thinking was not signed here', 'user text | assistant unsigned call | user result'],
    [
      'a later step thought, but not the first',
      'user text | assistant call | user result | assistant thinking call | user result',
    ],
    ['instructions follow the result', 'user text | assistant call | user result | system text'],
    ['the result comes with words', 'user text | assistant call | user result text'],
  ])('leaves a budget out when %s', (_name, shorthand) => {
    expect(kept(shorthand, budget)).toBeUndefined();
  });

  it.each<[Thinking]>([[{ type: 'adaptive' }], [{ type: 'disabled' }]])('never touches %j', (thinking) => {
    expect(kept('user text | assistant call | user result', thinking)).toBe(thinking);
  });
});
