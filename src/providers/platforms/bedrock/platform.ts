import { ProviderFault } from '../../../core/errors.js';
import type { CallContext, CallHeaders, Platform, PrintedCall } from '../../../core/platform.js';
import type { Target, UpstreamCall, UpstreamFailure } from '../../../core/provider.js';
import { dialectOf, type DialectId } from '../../../core/routing/catalog.js';
import type { ServiceTier } from '../../../core/routing/plan.js';
import { SseReader, type SseFrame } from '../../../core/stream/sse.js';
import { chain, type StreamStage } from '../../../core/stream/stream-stage.js';
import type { Clock } from '../../../core/time.js';
import type { RequestField } from '../../../core/translation.js';
import { findAwsFault } from '../../dialects/aws-faults.js';
import { pathSegment } from '../../../core/text/path-segment.js';
import { BedrockCredentials } from './account.js';
import { EventFrames } from './event-frames.js';
import { EventStreamReader } from './event-stream.js';
import { adaptMessages, BETAS, takesField } from './invoke-body.js';
import { SignatureV4 } from '../../../shared/http/client/signature-v4.js';

const SERVICE = 'bedrock';
const NO_HEADERS: CallHeaders = {};
/** The platform counts tokens in another form than these dialects' vendors. */
const NOT_COUNTED: ReadonlySet<DialectId> = new Set(['anthropic-messages', 'openai-chat']);

/**
 * `InvokeModel` takes the tier as headers
 * (docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InvokeModel.html).
 */
const TIER_HEADERS: Readonly<Record<ServiceTier, CallHeaders>> = {
  standard: NO_HEADERS,
  fast: { 'x-amzn-bedrock-performanceconfig-latency': 'optimized' },
  priority: { 'x-amzn-bedrock-service-tier': 'priority' },
  flex: { 'x-amzn-bedrock-service-tier': 'flex' },
};

/** Amazon Bedrock's runtime (docs/operate/platforms.md#bedrock). */
export class BedrockPlatform implements Platform {
  private readonly signature = new SignatureV4(SERVICE);
  private readonly credentials = new BedrockCredentials();

  constructor(private readonly clock: Clock) {}

  adapt(call: UpstreamCall, target: Target): UpstreamCall {
    return dialectOf(target.endpoint) === 'anthropic-messages' ? adaptMessages(call, target) : call;
  }

  carries(parameter: RequestField, target: Target): boolean | undefined {
    return dialectOf(target.endpoint) === 'anthropic-messages' ? takesField(parameter, target) : undefined;
  }

  carriesBeta(beta: string, { endpoint }: Target): boolean {
    return dialectOf(endpoint) !== 'anthropic-messages' || BETAS.has(beta);
  }

  fetchesMedia(): boolean {
    return false;
  }

  counts(dialect: DialectId): boolean {
    return !NOT_COUNTED.has(dialect);
  }

  address(context: CallContext, call: UpstreamCall): string {
    return this.credentials.baseUrlOf(context) + pathOf(context.target, call);
  }

  authorise(context: CallContext, { url, headers, body }: PrintedCall): CallHeaders {
    const { target } = context;
    const added = dialectOf(target.endpoint) === 'anthropic-messages' ? TIER_HEADERS[target.tier] : NO_HEADERS;
    if (target.definition.credential === 'none') return added;
    const access = this.credentials.accessOf(context);
    if (typeof access === 'string') return { ...added, authorization: `Bearer ${access}` };
    const contentType = headers['content-type'];
    const signed = contentType === undefined ? added : { ...added, 'content-type': contentType };
    const signature = this.signature.sign({ method: 'POST', url, headers: signed, body }, access, this.clock.now());
    return { ...added, ...signature };
  }

  frames({ 'content-type': type }: UpstreamFailure['headers']): StreamStage<Uint8Array, SseFrame> | undefined {
    const name = typeof type === 'string' ? type.toLowerCase() : '';
    if (name.startsWith('application/json')) return undefined;
    // Bedrock's chat completions are OpenAI's format unchanged, with server-sent events.
    if (name.startsWith('text/event-stream')) return new SseReader();
    return chain(new EventStreamReader(), new EventFrames());
  }

  /** The platform's own failures have one form, whatever the dialect. */
  fault(failure: UpstreamFailure): ProviderFault | undefined {
    return findAwsFault(failure);
  }
}

function pathOf({ endpoint }: Target, { path, stream }: UpstreamCall): string {
  switch (dialectOf(endpoint)) {
    case 'anthropic-messages':
      return `/model/${pathSegment(endpoint.upstreamModel)}/${stream ? 'invoke-with-response-stream' : 'invoke'}`;
    case 'openai-chat':
      return `/openai/v1${path}`;
    case 'bedrock-converse':
      return path;
    case 'cohere-chat':
    case 'google-gemini':
    case 'openai-responses':
    case 'simulated':
      throw new ProviderFault('rejected-request', 'The platform bedrock has no address for calls of this dialect.');
  }
}
