import type { ModelEvent } from '../../src/core/conversation/event.js';
import { ReplyBuilder, type Reply } from '../../src/core/conversation/reply.js';
import type { ModelRequest } from '../../src/core/conversation/request.js';
import type { JsonObject } from '../../src/core/json/json.js';
import type { DecodeContext, Target } from '../../src/core/provider.js';
import type { Quirks } from '../../src/core/quirks.js';
import { assertGrammar, GrammarCheck } from '../../src/core/stream/grammar.js';
import { SseReader } from '../../src/core/stream/sse.js';
import { chain } from '../../src/core/stream/stream-stage.js';
import { doAtOnce } from '../../src/core/steps.js';
import { googleGemini } from '../../src/providers/dialects/google-gemini/dialect.js';
import { modelRequest } from './model-request.js';
import { endpoint, model } from './route-inputs.js';

/** A model of this name at the provider `google-ai-studio`. */
export function geminiTarget(
  upstreamModel: string,
  { quirks = {}, ...parts }: Partial<Target['endpoint']> & { quirks?: Quirks } = {},
): Target {
  const one = endpoint('google-ai-studio', { upstreamModel, ...parts });
  return {
    model: model('google/gemini', [one]),
    endpoint: one,
    tier: 'standard',
    definition: { slug: 'google-ai-studio', credential: 'x-goog-api-key', quirks },
  };
}

export const GEMINI_3: Target = geminiTarget('gemini-3-flash-preview');
export const GEMINI_25: Target = geminiTarget('gemini-2.5-flash');

export const geminiContext = (parts: Partial<ModelRequest> = {}, target = GEMINI_3): DecodeContext => ({
  request: modelRequest({ messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }], ...parts }),
  target,
});

/** A chunk, or a whole body, with these parts. */
export const geminiChunk = (
  parts: readonly JsonObject[],
  rest: JsonObject = {},
  beside: JsonObject = {},
): JsonObject => ({
  candidates: [{ content: { parts, role: 'model' }, index: 0, ...rest }],
  usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
  modelVersion: 'gemini-3-flash',
  responseId: 'reply-1',
  ...beside,
});

/** The events of a stream of these chunks, through the grammar. */
export function streamGemini(chunks: readonly unknown[], context = geminiContext()): ModelEvent[] {
  const step = new GrammarCheck(chain(new SseReader(), googleGemini.decodeStream(context)));
  const out: ModelEvent[] = [];
  const text = chunks
    .map((chunk) => `data: ${typeof chunk === 'string' ? chunk : JSON.stringify(chunk)}\r\n\r\n`)
    .join('');
  step.push(Buffer.from(text), out);
  step.end(out);
  return out;
}

/** The events of a whole body, checked against the grammar. */
export function wholeGemini(body: unknown, context = geminiContext()): ModelEvent[] {
  const events = doAtOnce(googleGemini.decodeWhole(body, context));
  assertGrammar(events);
  return events;
}

export function replyOf(events: readonly ModelEvent[]): Reply {
  const builder = new ReplyBuilder();
  for (const event of events) builder.push(event);
  return builder.finish();
}
