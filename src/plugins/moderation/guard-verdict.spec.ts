// Reads verdicts in all forms of guard models, and rejects everything else.
import { readVerdict } from './guard-verdict.js';

it.each([
  ['safe', []],
  [' Safe.\n', []],
  ['"safe"', []],
  ['unsafe\nS1,S10', ['violence', 'hate']],
  ['\n\nunsafe\nS4', ['sexual/minors']],
  ['UNSAFE\nS6', ['other']],
  ['unsafe', ['other']],
  ['unsafe\nviolence, self-harm', ['violence', 'self-harm']],
  ['<think>It says "safe", but no.</think>\nunsafe\nS2', ['illicit']],
  ['Safety: Safe\nCategories: None', []],
  ['Safety: Unsafe\nCategories: Violent', ['violence']],
  ['Safety: Controversial\nCategories: Non-violent Illegal Acts', ['illicit']],
  ['User Safety: safe\nResponse Safety: unsafe\nSafety Categories: Harassment', ['harassment']],
  ['{"flagged": false}', []],
  ['```json\n{"flagged": true, "categories": {"hate": true, "violence": false}}\n```', ['hate']],
  ['{"violation": 1, "policy_category": "S11"}', ['self-harm']],
  ['{"safe": false, "categories": ["sexual/minors"]}', ['sexual/minors']],
  ['{"User Safety": "safe", "Response Safety": "unsafe", "Safety Categories": "Sexual"}', ['sexual']],
  ['{"verdict": "safe"}', []],
])('reads %j', (answer, categories) => {
  expect(readVerdict(answer)).toEqual(categories);
});

it.each([
  '',
  'I would say that this is safe.',
  'It is not unsafe',
  'safe\nunsafe\nS1',
  'unsafe\nsafe',
  '{"flagged": "maybe"}',
  '{"flagged": true, "safe": true}',
  '{"categories": ["hate"]}',
  '[]',
  'x'.repeat(20_001),
])('rejects %j as a verdict', (answer) => {
  expect(readVerdict(answer)).toBeUndefined();
});
