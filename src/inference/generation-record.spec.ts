// Goal: a generation ends once, by its first ending, in words of the log, with its attempt and figures. Method: every way of ending,
// on a record whose attempt and span write down what they are told.
import type { Usage } from '../core/conversation/usage.js';
import { CallerGone, GatewayError, ProviderFault } from '../core/errors.js';
import type { AnsweredPlan } from '../routing/plan-runner.js';
import type { GenerationFacts } from '../shared/http/request-log.js';
import { TraceSpan, type SpanResult } from '../shared/tracing.js';
import { GenerationRecord } from './generation-record.js';

class RecordingSpan extends TraceSpan {
  readonly results: SpanResult[] = [];

  override end(result: SpanResult): void {
    this.results.push(result);
  }
}

describe('GenerationRecord', () => {
  let facts: GenerationFacts;
  let span: RecordingSpan;
  let record: GenerationRecord;
  let attempts: unknown[];
  beforeEach(() => {
    facts = { id: 'gen-1-x', streamed: true };
    span = new RecordingSpan();
    record = new GenerationRecord(facts, span);
    attempts = [];
  });

  /** As far as a record looks into it. */
  const answer = (): AnsweredPlan =>
    ({
      leg: { model: { id: 'acme/large' }, endpoint: { provider: { slug: 'acme' } } },
      record: { end: (...told: unknown[]) => attempts.push(told) },
    }) as unknown as AnsweredPlan;
  const usage = (value: Usage) => ({ type: 'usage', usage: value }) as const;

  const ENDINGS: readonly (readonly [string, (record: GenerationRecord) => void, string, string])[] = [
    ['a whole reply', (ended) => ended.finished(), 'completed', 'answered'],
    ['a caller who goes', (ended) => ended.failed(new CallerGone()), 'caller-gone', 'aborted'],
    ['a reader who stops', (ended) => ended.left(), 'caller-gone', 'aborted'],
    ['a fault', (ended) => ended.failed(new ProviderFault('timed-out', 'x')), 'timed-out', 'timed-out'],
    ['a refusal of ours', (ended) => ended.failed(new GatewayError('not-found', 'x')), 'not-found', 'aborted'],
    ['anything else', (ended) => ended.failed(new Error('x')), 'internal', 'aborted'],
  ];

  it.each(ENDINGS)('%s after the answer began', (_, end, outcome, attempt) => {
    record.answered(answer());
    end(record);
    expect(facts).toEqual({ id: 'gen-1-x', streamed: true, model: 'acme/large', provider: 'acme', outcome });
    // The fault itself goes along, for whoever keeps the endpoint's health.
    const fault = attempt === 'timed-out' ? { fault: expect.any(ProviderFault) } : {};
    expect(attempts).toEqual([[attempt, { usage: {}, ...fault }]]);
    expect(span.results).toEqual([
      { usage: {}, provider: 'acme', model: 'acme/large', ...(outcome !== 'completed' && { error: outcome }) },
    ]);
  });

  it.each(ENDINGS.slice(1))('%s before anybody answered', (_, end, outcome) => {
    end(record);
    expect(facts).toEqual({ id: 'gen-1-x', streamed: true, outcome });
    expect([attempts, span.results]).toEqual([[], [{ usage: {}, error: outcome }]]);
  });

  it('takes the first ending for the ending', () => {
    record.answered(answer());
    record.finished();
    record.failed(new ProviderFault('timed-out', 'x'));
    record.left();
    expect([facts.outcome, attempts.length, span.results.length]).toEqual(['completed', 1, 1]);
  });

  it('keeps the last figures of the usage and why the reply stopped', () => {
    record.answered(answer());
    record.observe([usage({ inputTokens: 5, outputTokens: 1 }), { type: 'ping' }]);
    record.observe([
      usage({ outputTokens: 9 }),
      { type: 'reply-end', stop: { unified: 'end-turn', raw: 'stop', vendor: 'openai' } },
    ]);
    record.finished();
    expect(attempts).toEqual([['answered', { usage: { inputTokens: 5, outputTokens: 9 }, stop: 'end-turn' }]]);
  });
});
