// Spans carry only the names of the GenAI conventions and figures, cost nothing when off, and never delay the end. The
// real SDK with an exporter in memory; a flush that never ends. test/http/operation.spec.ts tests the transport.
import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { createTracing, Tracing } from './tracing.js';

function traceInMemory() {
  const exporter = new InMemorySpanExporter();
  const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  return { tracing: new Tracing(provider.getTracer('test')), spans: () => exporter.getFinishedSpans() };
}

const REQUEST = { model: 'anthropic/claude', generationId: 'gen-1-a', streamed: true };
const ATTEMPT = { provider: 'anthropic', model: 'claude-1', streamed: true };

describe('Tracing', () => {
  it('creates one span of the request and a child span for each attempt', () => {
    const { tracing, spans } = traceInMemory();
    const request = tracing.startRequest(REQUEST)!;
    request.startAttempt({ ...ATTEMPT, provider: 'first' }).end({ error: 'overloaded' });
    request.startAttempt(ATTEMPT).end({ stop: 'end-turn', secondsToFirstToken: 0.25 });
    request.end({
      provider: 'anthropic',
      model: 'claude-1',
      stop: 'end-turn',
      usage: { inputTokens: 10, outputTokens: 5, cacheReadTokens: 100, cacheWriteTokens: 20, cacheWrite1hTokens: 3 },
    });
    const [failed, answered, whole] = spans();
    expect([failed, answered, whole].map((span) => [span?.name, span?.kind])).toEqual([
      ['chat claude-1', SpanKind.CLIENT],
      ['chat claude-1', SpanKind.CLIENT],
      ['chat anthropic/claude', SpanKind.SERVER],
    ]);
    for (const attempt of [failed, answered])
      expect(attempt?.parentSpanContext?.spanId).toBe(whole?.spanContext().spanId);
    expect(failed).toMatchObject({
      attributes: { 'error.type': 'overloaded' },
      status: { code: SpanStatusCode.ERROR },
    });
    expect(answered?.attributes).toEqual({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'anthropic',
      'gen_ai.request.model': 'claude-1',
      'gen_ai.response.finish_reasons': ['end-turn'],
      'gen_ai.response.time_to_first_chunk': 0.25,
      'fairlead.streamed': true,
    });
    expect(whole?.attributes).toEqual({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'anthropic',
      'gen_ai.request.model': 'anthropic/claude',
      'gen_ai.response.model': 'claude-1',
      'gen_ai.response.id': 'gen-1-a',
      'gen_ai.response.finish_reasons': ['end-turn'],
      'gen_ai.usage.input_tokens': 133,
      'gen_ai.usage.output_tokens': 5,
      'gen_ai.usage.cache_read.input_tokens': 100,
      'gen_ai.usage.cache_creation.input_tokens': 23,
      'fairlead.streamed': true,
    });
  });

  const TRACE = '0af7651916cd43dd8448eb211c80319c';
  const SPAN = 'b7ad6b7169203331';

  it.each([
    ['of this version', `00-${TRACE}-${SPAN}-01`],
    ['of a later version, which may append fields', `cc-${TRACE}-${SPAN}-01-what-comes`],
  ])("continues a caller's trace %s, and passes it to the providers", (_, traceparent) => {
    const { tracing, spans } = traceInMemory();
    const request = tracing.startRequest({ ...REQUEST, requestId: 'r-1', traceparent, tracestate: 'acme=1,other=2' })!;
    const attempt = request.startAttempt(ATTEMPT);
    attempt.end({ error: 'provider-unavailable', status: 503 });
    request.end({ costUsd: 0.25 });
    const [called, whole] = spans();
    expect(whole).toMatchObject({
      parentSpanContext: { traceId: TRACE, spanId: SPAN, isRemote: true },
      attributes: { 'fairlead.request_id': 'r-1', 'fairlead.cost_usd': 0.25 },
    });
    expect(whole!.spanContext().traceState?.serialize()).toBe('acme=1,other=2');
    expect(called).toMatchObject({
      attributes: { 'error.type': 'provider-unavailable', 'http.response.status_code': 503 },
    });
    expect(attempt.traceparent).toBe(`00-${TRACE}-${called!.spanContext().spanId}-01`);
  });

  it.each([
    ['no text of the form', 'a-canary'],
    ['a trace of zeros', `00-${'0'.repeat(32)}-${SPAN}-01`],
    ['a span of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`],
    ['capitals', `00-${TRACE.toUpperCase()}-${SPAN}-01`],
    ['more than this version has', `00-${TRACE}-${SPAN}-01-more`],
    ['the version that is none', `ff-${TRACE}-${SPAN}-01`],
  ])('begins a trace of its own for %s', (_, traceparent) => {
    const { tracing, spans } = traceInMemory();
    tracing.startRequest({ ...REQUEST, traceparent, tracestate: 'acme=1' })!.end({});
    const [span] = spans();
    expect(span!.parentSpanContext).toBeUndefined();
    expect(span!.spanContext().traceId).not.toBe(TRACE);
    expect(span!.spanContext().traceState).toBeUndefined();
  });

  it('sends no span of a trace that its caller does not sample, and passes that to the providers', () => {
    const { tracing, spans } = traceInMemory();
    const request = tracing.startRequest({ ...REQUEST, traceparent: `00-${TRACE}-${SPAN}-00` })!;
    const attempt = request.startAttempt(ATTEMPT);
    attempt.end({});
    request.end({});
    expect(spans()).toEqual([]);
    expect(attempt.traceparent).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-00$`));
  });

  it('has no spans when it is off, and reports that', async () => {
    const tracing = await createTracing(undefined);
    expect(tracing.isOn).toBe(false);
    expect(tracing.startRequest(REQUEST)).toBeUndefined();
    expect(traceInMemory().tracing.isOn).toBe(true);
    await tracing.shutdown();
  });

  it('waits two seconds for a collector that never answers, and does not fail when the flush does', async () => {
    jest.useFakeTimers();
    let ended = false;
    const hanging = new Tracing(undefined, () => new Promise(() => undefined)).shutdown().then(() => (ended = true));
    await jest.advanceTimersByTimeAsync(1999);
    expect(ended).toBe(false);
    await jest.advanceTimersByTimeAsync(1);
    await hanging;
    jest.useRealTimers();
    await expect(
      new Tracing(undefined, () => Promise.reject(new Error('refused'))).shutdown(),
    ).resolves.toBeUndefined();
  });
});
