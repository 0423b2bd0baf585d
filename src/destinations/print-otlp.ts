import { hash } from 'node:crypto';
import { PACKAGE_VERSION } from '../shared/package-version.js';
import type { BroadcastRecord } from './broadcast-record.js';
import type { DestinationConfig } from './destination-config.js';
import type { OutboxEvent } from './outbox-event.js';
import { JSON_TYPE, type PrintedEvent } from './print-webhook.js';

/*
 * Spans as OTLP/HTTP in JSON (https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding): 64-bit integers are
 * strings, ids are hexadecimal.
 */

const TRACES_PATH = '/v1/traces';
const KIND_CLIENT = 3;
const STATUS_OK = 1;
const STATUS_ERROR = 2;
const HTTP_ERROR_MIN = 400;

type AttributeValue =
  | { readonly stringValue: string }
  | { readonly intValue: string }
  | { readonly doubleValue: number }
  | { readonly boolValue: boolean };

/** Names of attributes by field of a record: OpenTelemetry's for generative AI, where there is one. */
const ATTRIBUTES: Readonly<Record<string, string>> = {
  requested_model: 'gen_ai.request.model',
  model: 'gen_ai.response.model',
  provider: 'gen_ai.provider.name',
  id: 'gen_ai.response.id',
  session_id: 'gen_ai.conversation.id',
  native_tokens_prompt: 'gen_ai.usage.input_tokens',
  native_tokens_completion: 'gen_ai.usage.output_tokens',
  native_tokens_reasoning: 'fairlead.usage.reasoning_tokens',
  native_tokens_cached: 'fairlead.usage.cached_tokens',
  status: 'http.response.status_code',
  error_type: 'error.type',
  user: 'user.id',
  key: 'fairlead.key',
  member: 'fairlead.member',
  request_id: 'fairlead.request_id',
  workspace_id: 'fairlead.workspace_id',
  api: 'fairlead.api',
  outcome: 'fairlead.outcome',
  is_byok: 'fairlead.is_byok',
  streamed: 'fairlead.streamed',
  latency: 'fairlead.latency_ms',
  usage: 'fairlead.usage.cost',
  upstream_inference_cost: 'fairlead.usage.byok_cost',
  is_recovered: 'fairlead.is_recovered',
};
/** Figures that are amounts, which are always printed as fractions. */
const AMOUNTS: ReadonlySet<string> = new Set(['usage', 'upstream_inference_cost']);

/** The address of an OTLP receiver: one without a path gets that of traces. */
export function tracesAddress(endpoint: string): string {
  const url = new URL(endpoint);
  if (url.pathname === '/') url.pathname = TRACES_PATH;
  return url.href;
}

/** The generations of an event as spans; any other event as one span without duration. */
export function printOtlp(event: OutboxEvent, config: DestinationConfig): PrintedEvent {
  const { generations } = event.data;
  const spans = Array.isArray(generations)
    ? (generations as unknown as readonly BroadcastRecord[]).map(spanOf)
    : [eventSpan(event)];
  const body = {
    resourceSpans: [
      {
        resource: { attributes: [attribute('service.name', { stringValue: 'fairlead' })] },
        scopeSpans: [{ scope: { name: 'fairlead', version: PACKAGE_VERSION }, spans }],
      },
    ],
  };
  return { headers: { ...config.headers, ...JSON_TYPE }, body: JSON.stringify(body) };
}

function spanOf(record: BroadcastRecord): object {
  const { id, model, created_at, generation_time, status, finish_reason, trace } = record;
  const start = Date.parse(created_at);
  const end = start + (generation_time ?? 0);
  const isError = typeof status === 'number' && status >= HTTP_ERROR_MIN;
  return {
    traceId: digest(`trace ${traceIdIn(trace) ?? id}`, 32),
    spanId: digest(`span ${id}`, 16),
    name: `chat ${model}`,
    kind: KIND_CLIENT,
    startTimeUnixNano: nanoseconds(start),
    endTimeUnixNano: nanoseconds(end),
    attributes: [
      attribute('gen_ai.operation.name', { stringValue: 'chat' }),
      ...Object.entries(ATTRIBUTES).flatMap(([field, name]) => {
        const value = valueOf(field, record[field as keyof BroadcastRecord]);
        return value ? [attribute(name, value)] : [];
      }),
      ...(typeof finish_reason === 'string' ? [finishReasons(finish_reason)] : []),
    ],
    status: { code: isError ? STATUS_ERROR : STATUS_OK },
  };
}

/** The trace that the caller has named: its calls share one. */
const traceIdIn = (trace: unknown): string | undefined => {
  const named = (trace as { readonly trace_id?: unknown } | null | undefined)?.trace_id;
  return typeof named === 'string' ? named : undefined;
};

function eventSpan({ id, type, occurredAt, data }: OutboxEvent): object {
  const { message } = data;
  const at = nanoseconds(occurredAt.getTime());
  return {
    traceId: digest(`trace ${id}`, 32),
    spanId: digest(`span ${id}`, 16),
    name: type,
    kind: KIND_CLIENT,
    startTimeUnixNano: at,
    endTimeUnixNano: at,
    attributes: typeof message === 'string' ? [attribute('fairlead.message', { stringValue: message })] : [],
    status: { code: STATUS_OK },
  };
}

const attribute = (key: string, value: AttributeValue): object => ({ key, value });

const finishReasons = (reason: string): object => ({
  key: 'gen_ai.response.finish_reasons',
  value: { arrayValue: { values: [{ stringValue: reason }] } },
});

function valueOf(field: string, value: unknown): AttributeValue | undefined {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value !== 'number') return undefined;
  return AMOUNTS.has(field) || !Number.isInteger(value) ? { doubleValue: value } : { intValue: String(value) };
}

const digest = (text: string, characters: number): string => hash('sha256', text, 'hex').slice(0, characters);

const nanoseconds = (ms: number): string => `${Math.trunc(ms)}000000`;
