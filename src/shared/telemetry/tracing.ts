import {
  createTraceState,
  isSpanContextValid,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Attributes,
  type Context,
  type Span,
  type Tracer,
} from '@opentelemetry/api';
import type { StopReason } from '../../core/conversation/event.js';
import type { Usage } from '../../core/conversation/usage.js';
import type { EndingName } from '../../core/generation/ending.js';
import { InvalidEnvironment } from '../environment.js';
import { PACKAGE_VERSION } from '../package-version.js';
import { CHAT_OPERATION, SPAN_NAMES } from './span-names.js';

const FLUSH_MS = 2000;
const EXPORT_MS = 5000;

export interface RequestTrace {
  /** The requested model, by its id in the catalog. */
  readonly model: string;
  readonly generationId: string;
  readonly streamed: boolean;
  readonly requestId?: string | undefined;
  /** Header of the caller, whose trace continues here; an invalid one is ignored. */
  readonly traceparent?: string | undefined;
  readonly tracestate?: string | undefined;
}

export interface AttemptTrace {
  /** Slug. */
  readonly provider: string;
  /** The model's name at the provider. */
  readonly model: string;
  readonly streamed: boolean;
}

/** The result of a span. Only enumerated words and figures, so that no content can appear. */
export interface SpanResult {
  readonly usage?: Usage;
  readonly stop?: StopReason['unified'];
  /** Slug of the provider that answered. */
  readonly provider?: string;
  /** The model that answered. */
  readonly model?: string;
  readonly secondsToFirstToken?: number;
  readonly error?: Exclude<EndingName, 'completed'>;
  /** HTTP status that the provider gave. */
  readonly status?: number;
  readonly costUsd?: number;
  /** End time by `performance.now()`; absent: now. */
  readonly endedAt?: number;
}

/** The span of a request or an attempt. End it once. */
export class TraceSpan {
  constructor(
    private readonly tracer: Tracer,
    private readonly span: Span,
    /** The parent context of child spans. */
    private readonly context: Context,
  ) {}

  startAttempt(attempt: AttemptTrace): TraceSpan {
    return start(this.tracer, SpanKind.CLIENT, this.context, attempt.model, {
      [SPAN_NAMES.provider]: attempt.provider,
      [SPAN_NAMES.streamed]: attempt.streamed,
    });
  }

  end(result: SpanResult): void {
    this.span.setAttributes(viewResult(result));
    if (result.error !== undefined) this.span.setStatus({ code: SpanStatusCode.ERROR });
    this.span.end(result.endedAt);
  }

  /** The header by which others continue this trace. */
  get traceparent(): string {
    const { traceId, spanId, traceFlags } = this.span.spanContext();
    return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
  }
}

/** Creates spans per request and per attempt; none without an exporter. */
export class Tracing {
  /** Whether there is an exporter; without one nothing is traced. */
  readonly isOn: boolean;

  constructor(
    private readonly tracer?: Tracer,
    private readonly flush: () => Promise<void> = () => Promise.resolve(),
  ) {
    this.isOn = tracer !== undefined;
  }

  /** @returns undefined without an exporter */
  startRequest(request: RequestTrace): TraceSpan | undefined {
    if (!this.tracer) return undefined;
    return start(this.tracer, SpanKind.SERVER, parentOf(request), request.model, {
      [SPAN_NAMES.responseId]: request.generationId,
      [SPAN_NAMES.streamed]: request.streamed,
      ...(request.requestId !== undefined && { [SPAN_NAMES.requestId]: request.requestId }),
    });
  }

  /** Sends the remaining spans, for two seconds at most: a collector that never answers must not delay the end. */
  async shutdown(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<void>((resolve) => (timer = setTimeout(resolve, FLUSH_MS)));
    try {
      await Promise.race([this.flush().catch(() => undefined), limit]);
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Later versions may append further fields. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/**
 * The caller's span, where it sent a valid one; else none. Its sampling decision applies unless OTEL_TRACES_SAMPLER
 * overrides it.
 */
function parentOf({ traceparent, tracestate }: RequestTrace): Context {
  const [, version, traceId = '', spanId = '', flags = '', more] = TRACEPARENT.exec(traceparent ?? '') ?? [];
  if (version === '00' && more !== undefined) return ROOT_CONTEXT;
  const context = {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED,
    isRemote: true,
    ...(tracestate !== undefined && { traceState: createTraceState(tracestate) }),
  };
  return isSpanContextValid(context) ? trace.setSpanContext(ROOT_CONTEXT, context) : ROOT_CONTEXT;
}

function start(tracer: Tracer, kind: SpanKind, parent: Context, model: string, attributes: Attributes): TraceSpan {
  const all = { [SPAN_NAMES.operation]: CHAT_OPERATION, [SPAN_NAMES.requestModel]: model, ...attributes };
  const span = tracer.startSpan(`${CHAT_OPERATION} ${model}`, { kind, attributes: all }, parent);
  return new TraceSpan(tracer, span, trace.setSpan(parent, span));
}

function viewResult(result: SpanResult): Attributes {
  return {
    ...(result.provider !== undefined && { [SPAN_NAMES.provider]: result.provider }),
    ...(result.model !== undefined && { [SPAN_NAMES.responseModel]: result.model }),
    ...(result.stop !== undefined && { [SPAN_NAMES.finishReasons]: [result.stop] }),
    ...(result.secondsToFirstToken !== undefined && { [SPAN_NAMES.timeToFirstChunk]: result.secondsToFirstToken }),
    ...(result.error !== undefined && { [SPAN_NAMES.errorType]: result.error }),
    ...(result.status !== undefined && { [SPAN_NAMES.responseStatus]: result.status }),
    ...(result.costUsd !== undefined && { [SPAN_NAMES.costUsd]: result.costUsd }),
    ...(result.usage && viewUsage(result.usage)),
  };
}

function viewUsage(usage: Usage): Attributes {
  const cacheRead = usage.cacheReadTokens ?? 0;
  const cacheWrite = (usage.cacheWriteTokens ?? 0) + (usage.cacheWrite1hTokens ?? 0);
  return {
    ...(usage.inputTokens !== undefined && { [SPAN_NAMES.inputTokens]: usage.inputTokens + cacheRead + cacheWrite }),
    ...(usage.outputTokens !== undefined && { [SPAN_NAMES.outputTokens]: usage.outputTokens }),
    ...(cacheRead > 0 && { [SPAN_NAMES.cacheReadTokens]: cacheRead }),
    ...(cacheWrite > 0 && { [SPAN_NAMES.cacheWriteTokens]: cacheWrite }),
  };
}

/**
 * Tracing to an OTLP/HTTP collector, or none without an endpoint. The exporter is an optional dependency and is loaded
 * only on demand. Nothing global is registered.
 * @param endpoint base URL; `/v1/traces` is appended, as the OTLP specification requires
 * @throws InvalidEnvironment when an endpoint is given and the exporter is not installed
 */
export async function createTracing(endpoint: string | undefined): Promise<Tracing> {
  if (endpoint === undefined) return new Tracing();
  const [sdk, otlp, resources] = await loadExporter();
  const exporter = new otlp.OTLPTraceExporter({
    url: `${endpoint.replace(/\/+$/, '')}/v1/traces`,
    timeoutMillis: EXPORT_MS,
  });
  const provider = new sdk.NodeTracerProvider({
    // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES take precedence.
    resource: resources
      .defaultResource()
      .merge(resources.resourceFromAttributes({ 'service.name': 'fairlead', 'service.version': PACKAGE_VERSION }))
      .merge(resources.detectResources({ detectors: [resources.envDetector] })),
    spanProcessors: [new sdk.BatchSpanProcessor(exporter)],
  });
  return new Tracing(provider.getTracer('fairlead'), () => provider.shutdown());
}

async function loadExporter() {
  try {
    return await Promise.all([
      import('@opentelemetry/sdk-trace-node'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/resources'),
    ]);
  } catch {
    throw new InvalidEnvironment([
      {
        variable: 'OTEL_EXPORTER_OTLP_ENDPOINT',
        reason:
          'needs the optional packages @opentelemetry/sdk-trace-node and exporter-trace-otlp-http; install them or unset it',
      },
    ]);
  }
}
