/**
 * Names of span attributes, by the OpenTelemetry conventions for generative AI. These are not stable yet, so they are
 * kept in this file only. https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/
 */
export const SPAN_NAMES = {
  operation: 'gen_ai.operation.name',
  provider: 'gen_ai.provider.name',
  requestModel: 'gen_ai.request.model',
  responseModel: 'gen_ai.response.model',
  responseId: 'gen_ai.response.id',
  finishReasons: 'gen_ai.response.finish_reasons',
  /** Seconds. */
  timeToFirstChunk: 'gen_ai.response.time_to_first_chunk',
  /** All tokens of the prompt, including cached ones. */
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  cacheReadTokens: 'gen_ai.usage.cache_read.input_tokens',
  cacheWriteTokens: 'gen_ai.usage.cache_creation.input_tokens',
  errorType: 'error.type',
  /** HTTP status that the provider gave. */
  responseStatus: 'http.response.status_code',
  /** Fairlead's own: the conventions have no equivalents. */
  streamed: 'fairlead.streamed',
  /** Id of the request, the same as in its log line and the header of its reply. */
  requestId: 'fairlead.request_id',
  /** The amount charged to the caller. */
  costUsd: 'fairlead.cost_usd',
} as const;

/** The operation of both faces, as named in the conventions. */
export const CHAT_OPERATION = 'chat';
