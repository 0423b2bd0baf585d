// Goal: a model of Claude is recognised by its name in every spelling, and an unlisted name has the rules of the newest
// or the oldest model. Method: names as platforms and catalogs spell them, against the rows for them.
import { endpoint, model } from '../../../test/support/route-inputs.js';
import type { Target } from '../../core/provider.js';
import { claudeRulesOf, type ClaudeRules } from './claude-models.js';
import { takesStrictTools } from './strict-tools.js';

const placed = (upstreamModel: string, id = 'a/b'): Pick<Target, 'endpoint' | 'model'> => {
  const one = endpoint('p', { upstreamModel });
  return { endpoint: one, model: model(id, [one]) };
};
const rulesOf = (name: string, id?: string): ClaudeRules | undefined => claudeRulesOf(placed(name, id));

it.each<[string, readonly string[]]>([
  ['claude-opus-4-7', ['us.anthropic.claude-opus-4-7', 'claude-opus-4-7@default', 'anthropic/claude-opus-4.7', 'claude-4.7-opus-20260416', 'arn:aws:bedrock:us-east-1:1:inference-profile/eu.anthropic.claude-opus-4-7-v1:0']],
  ['claude-sonnet-4', ['claude-sonnet-4-20250514', 'claude-sonnet-4@20250514', 'anthropic.claude-sonnet-4-20250514-v1:0']],
  ['claude-3-7-sonnet', ['us.anthropic.claude-3-7-sonnet-20250219-v1:0', 'claude-3.7-sonnet', 'claude-3-7-sonnet@20250219']],
  ['claude-opus-4-5', ['claude-opus-4-5-20251101', 'global.anthropic.claude-opus-4-5-20251101-v1:0']],
  ['claude-mythos-preview', ['anthropic.claude-mythos-preview']],
])('%s in other spellings', (name, others) => {
  expect(rulesOf(name)).toBeDefined();
  expect(others.filter((other) => rulesOf(other) !== rulesOf(name))).toEqual([]);
}); // oxfmt-ignore

it('uses the catalog where the name is the account’s own', () => {
  expect(rulesOf('arn:aws:bedrock:us-east-1:1:application-inference-profile/abc', 'anthropic/claude-opus-4.7')).toBe(
    rulesOf('claude-opus-4-7'),
  );
});

it.each(['claude-opus-6', 'claude-sonnet-5-9', 'claude-haiku-10-v1', 'claude-haiku-4-6', 'claude-new-preview'])(
  'takes %s for one of the newest',
  (name) => expect(rulesOf(name)).toBe(rulesOf('claude-opus-5-5')),
);

it.each(['claude-3-5-sonnet-20241022', 'claude-3-opus-20240229', 'claude-2.1', 'claude-instant-1.2', 'claude-v2'])(
  'takes %s for one of the oldest',
  (name) => expect(rulesOf(name)).toMatchObject({ thinking: [], efforts: [], prefill: true, systemTurns: false }),
);

it.each(['claude-latest', 'gpt-5', 'gemini-3-pro', 'kimi-k2'])('assumes nothing of %s', (name) => {
  expect(rulesOf(name)).toBeUndefined();
});

/** Name, sampling, thinking, off, efforts, system turns, prefill, forced tools. */
it.each<[string, string, string, string | undefined, number, boolean, boolean, string]>([
  ['claude-sonnet-4', 'both', 'enabled', 'disabled', 0, false, true, 'without thinking'],
  ['claude-opus-4-1', 'one', 'enabled', 'disabled', 0, false, true, 'without thinking'],
  ['claude-haiku-4-5', 'one', 'enabled', 'disabled', 0, false, true, 'without thinking'],
  ['claude-opus-4-5', 'one', 'enabled', 'disabled', 3, false, true, 'without thinking'],
  ['claude-sonnet-4-6', 'one', 'enabled adaptive', 'disabled', 4, false, false, 'without thinking'],
  ['claude-opus-4-7', 'none', 'adaptive', 'disabled', 5, false, false, 'without thinking'],
  ['claude-opus-4-8', 'none', 'adaptive', 'disabled', 5, true, false, 'without thinking'],
  ['claude-sonnet-5', 'none', 'adaptive', 'disabled', 5, false, false, 'without thinking'],
  ['claude-opus-5', 'none', 'adaptive', 'disabled', 5, true, false, 'without thinking'],
  ['claude-haiku-5-5', 'none', 'adaptive', 'disabled', 5, true, false, 'without thinking'],
  ['claude-sonnet-5-5', 'none', 'adaptive', 'between_tools', 5, true, false, 'never'],
  ['claude-opus-5-5', 'none', 'adaptive', undefined, 5, true, false, 'never'],
  ['claude-fable-5', 'none', 'adaptive', undefined, 5, true, false, 'without thinking'],
  ['claude-fable-5-1', 'none', 'adaptive', undefined, 5, true, false, 'never'],
])('%s', (name, sampling, thinking, off, efforts, systemTurns, prefill, forcedTools) => {
  const rules = rulesOf(name)!;
  expect({ ...rules, thinking: rules.thinking.join(' '), efforts: rules.efforts.length, off: rules.off }).toMatchObject({
    sampling, thinking, off, efforts, systemTurns, prefill, forcedTools,
  }); // oxfmt-ignore
});

it.each<[string, boolean, boolean]>([
  ['claude-sonnet-4-20250514', false, false],
  ['claude-sonnet-4-5', true, true],
  ['claude-opus-4-6', true, true],
  ['claude-opus-4-7', true, false],
  ['claude-opus-4-8', true, false],
  ['claude-sonnet-5', true, false],
  ['claude-opus-5', true, true],
  ['claude-of-the-account', true, false],
  ['us.amazon.nova-2-lite-v1:0', true, false],
])('%s: strict tools %s, at Bedrock %s', (name, outside, atBedrock) => {
  const strictAt = (platform: 'direct' | 'bedrock'): boolean => {
    const { endpoint, model } = placed(name);
    return takesStrictTools({
      model,
      endpoint: { ...endpoint, provider: { ...endpoint.provider, platform } },
    } as Target);
  };
  expect([strictAt('direct'), strictAt('bedrock')]).toEqual([outside, atBedrock]);
});
