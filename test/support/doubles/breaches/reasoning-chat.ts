import { chat, OF_REASONING } from './openai-chat.js';
import type { RuleCase } from './rule-case.js';

const OPENAIS = new Set([...OF_REASONING, 'the older name of the limit', 'a long id', 'reasoning in the history']);
const [instructions, question, answer, result] = chat.body.messages;

export const reasoning: RuleCase = {
  model: 'deepseek-v4-pro',
  body: {
    ...chat.body,
    model: 'deepseek-v4-pro',
    thinking: { type: 'enabled' },
    messages: [instructions, question, { ...answer, reasoning_content: 'I look.' }, result],
  },
  breaches: [
    ...chat.breaches.filter(([what]) => !OPENAIS.has(what)),
    ['a turn without its reasoning', (b) => delete b.messages[2].reasoning_content, 'must be passed back'],
    ['a turn with empty reasoning', (b) => (b.messages[2].reasoning_content = ''), 'must be passed back'],
    ['an unknown way of thinking', (b) => (b.thinking.type = 'auto'), 'thinking.type'],
  ],
};
