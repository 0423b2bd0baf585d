import type { ModelEvent } from '../core/conversation/event.js';
import { ProviderFault, Untranslatable } from '../core/errors.js';
import type { Endpoint, Model } from '../core/routing/catalog.js';
import { safeCode } from '../providers/dialects/faults.js';
import type { PreparedCall } from '../providers/prepared-call.js';
import type { ProviderClient } from '../providers/provider-client.js';
import { SMALLEST_REQUEST } from '../providers/smallest-request.js';
import { tooSlow, verdictOf, type TriedCall, type Verdict } from './check-verdict.js';

/** An endpoint and its model. */
export interface CheckCandidate {
  readonly model: Model;
  readonly endpoint: Endpoint;
}

/** The outcome of one call. */
export interface CheckCall {
  readonly isStreamed: boolean;
  /** HTTP status of the answer; absent: no answer. */
  readonly status?: number | undefined;
  /** Milliseconds from the start to the last byte, or to the failure. */
  readonly latencyMs: number;
  /** Absent: it works. */
  readonly verdict?: Verdict;
  /** The model that the answer names, where it does. Often a longer name than the requested one. */
  readonly model?: string;
}

export interface CheckDependencies {
  readonly client: ProviderClient;
  /** Time limit of the first event for endpoints without their own. */
  readonly firstMs: number;
  /** The displayable part of a provider's credential. */
  readonly labelOf: (endpoint: Endpoint) => string | undefined;
  /** Aborts the calls in progress. */
  readonly signal: AbortSignal;
}

/** Sends one endpoint a minimal request, through the same code as all calls. */
export class EndpointCheck {
  constructor(private readonly dependencies: CheckDependencies) {}

  /**
   * @param isStreamedToo sends a second, streamed request where the whole answer succeeded
   * @throws the signal's reason
   */
  async run(candidate: CheckCandidate, isStreamedToo: boolean): Promise<readonly CheckCall[]> {
    const whole = await this.call(candidate, false);
    return isStreamedToo && !whole.verdict ? [whole, await this.call(candidate, true)] : [whole];
  }

  private async call({ model, endpoint }: CheckCandidate, isStreamed: boolean): Promise<CheckCall> {
    const { client, firstMs, labelOf, signal } = this.dependencies;
    const timeoutMs = endpoint.firstTimeoutMs ?? firstMs;
    const request = { ...SMALLEST_REQUEST, model: model.id, stream: isStreamed, echoesUpstreamBody: true };
    const prepared = client.prepare({ model, endpoint, tier: 'standard' }, request, endpoint.provider.credential);
    const limit = new AbortController();
    // `AbortSignal.timeout` does not keep the process alive, a timer does.
    const timer = setTimeout(() => limit.abort(), timeoutMs);
    const beganAt = performance.now();
    let verdict: Verdict | undefined;
    const received: PartialAnswer = { hasBegun: false };
    try {
      await answerOf(prepared, isStreamed, AbortSignal.any([signal, limit.signal]), received);
    } catch (error) {
      signal.throwIfAborted();
      const { sentBody, status } = prepared;
      const { hasBegun } = received;
      const tried: TriedCall = { endpoint, credentialLabel: labelOf(endpoint), sentBody, status, hasBegun, timeoutMs };
      if (limit.signal.aborted) verdict = tooSlow(tried);
      else if (error instanceof ProviderFault || error instanceof Untranslatable) verdict = verdictOf(error, tried);
      else throw error;
    } finally {
      clearTimeout(timer);
    }
    const latencyMs = Math.round(performance.now() - beganAt);
    return {
      isStreamed,
      status: prepared.status,
      latencyMs,
      ...(verdict && { verdict }),
      ...(received.model !== undefined && { model: fitToShow(received.model, prepared) }),
    };
  }
}

/** The part of the answer that has arrived. */
interface PartialAnswer {
  hasBegun: boolean;
  model?: string;
}

async function answerOf(
  call: PreparedCall,
  isStreamed: boolean,
  signal: AbortSignal,
  received: PartialAnswer,
): Promise<void> {
  if (!isStreamed) {
    collect(await call.answer(signal), received);
    return;
  }
  // Read to the end of the events, as the grammar requires; the end of the connection does not matter.
  for await (const events of await call.stream(signal, () => true)) {
    collect(events, received);
    if (events.some(({ type }) => type === 'reply-end')) return;
  }
}

function collect(events: readonly ModelEvent[], received: PartialAnswer): void {
  received.hasBegun ||= events.length > 0;
  const model = events.find((event) => event.type === 'reply-start')?.model;
  if (model !== undefined) received.model ??= model;
}

/**
 * Makes a name from a provider safe to show: cleaned and cut as error codes are, with the credential masked as in
 * faults.
 */
const fitToShow = (model: string, call: PreparedCall): string =>
  safeCode(call.masked(new ProviderFault('malformed-reply', model)).message);
