/**
 * Each double refuses what its vendor refuses, and accepts what the vendor accepts; every rule of a double has a case.
 * For each dialect one fully valid call, and one breach for each rule, checked by the words of the refusal. The cases:
 * `breaches`; rules and their sources: the file of the dialect.
 */
import type { JsonBody } from '../recorded-request.js';
import { anthropic } from './breaches/anthropic-messages.js';
import { converse } from './breaches/bedrock-converse.js';
import { cohere } from './breaches/cohere-chat.js';
import { drawing } from './breaches/drawing-chat.js';
import { gemini } from './breaches/google-gemini.js';
import { chat } from './breaches/openai-chat.js';
import { responses } from './breaches/openai-responses.js';
import { TASK_CASES } from './breaches/tasks.js';
import { reasoning } from './breaches/reasoning-chat.js';
import type { Breach, RightCall, RuleCase } from './breaches/rule-case.js';
import { DIALECT_DOUBLES } from './dialects.js';
import type { DialectCounting, WireDialect } from './double.js';
import { drawingChat } from './drawing-chat.js';
import { reasoningChat } from './reasoning-chat.js';

const CASES: Readonly<Record<WireDialect, RuleCase>> = {
  'anthropic-messages': anthropic,
  'bedrock-converse': converse,
  'cohere-chat': cohere,
  'google-gemini': gemini,
  'openai-chat': chat,
  'openai-responses': responses,
};

interface JudgedCall extends RightCall {
  readonly name: string;
  readonly model: string;
  /** Judges the calls. */
  readonly judge: Pick<DialectCounting, 'rules' | 'refuse'>;
}

const DOUBLES = [
  ...Object.entries(CASES).map(([dialect, one]) => [dialect, DIALECT_DOUBLES[dialect as WireDialect], one] as const),
  ['openai-chat of reasoning', reasoningChat, reasoning],
  ['openai-chat of pictures', drawingChat, drawing],
] as const;

const JUDGED = DOUBLES.flatMap(([name, double, { model, counting, ...right }]): JudgedCall[] => {
  const answer = { ...right, name, model, judge: double };
  if (!double.counting) return [answer];
  return [answer, { model, ...counting!, name: `${name}, counting`, judge: double.counting }];
});

describe.each([...JUDGED, ...TASK_CASES])('the double of $name', ({ model, body, breaches, call: usual, judge }) => {
  const refusalOf = (sent: JsonBody, call: Breach[3]) =>
    judge.refuse({ body: sent, model, stream: false, platform: 'direct', headers: {}, ...usual, ...call });
  const broken = ([, change, , call]: Breach) => {
    const sent = structuredClone(body);
    change(sent);
    return refusalOf(sent, call);
  };

  it('accepts what its vendor accepts', () => {
    expect(refusalOf(body, undefined)).toBeUndefined();
  });

  it.each(breaches.map((breach) => ({ what: breach[0], breach })))('refuses $what', ({ breach }) => {
    expect(broken(breach)?.message).toContain(breach[2]);
  });

  it('has no rule without a breach here, and no breach of an unlisted rule', () => {
    const seen = new Set(breaches.map((breach) => broken(breach)?.rule));
    expect(judge.rules.filter((rule) => !seen.has(rule))).toEqual([]);
    expect([...seen].filter((rule) => !judge.rules.includes(rule!))).toEqual([]);
  });
});
