import type { ModelEvent } from '../core/conversation/event.js';
import { ProviderFault, Untranslatable } from '../core/errors.js';
import type { Endpoint, Model } from '../core/routing/catalog.js';
import { safeCode } from '../providers/dialects/faults.js';
import type { PreparedCall } from '../providers/prepared-call.js';
import type { ProviderClient } from '../providers/provider-client.js';
import { SMALLEST_REQUEST } from '../providers/smallest-request.js';
import { tooSlow, verdictOf, type Tried, type Verdict } from './trial-verdict.js';

/** An endpoint, and the model that it is one of. */
export interface TrialPlace {
  readonly model: Model;
  readonly endpoint: Endpoint;
}

/** What came of one call. */
export interface TrialCall {
  readonly isStreamed: boolean;
  /** HTTP status of the answer; absent: none came. */
  readonly status?: number | undefined;
  /** From the beginning to the last byte, or to the failure. */
  readonly latencyMs: number;
  /** Absent: it works. */
  readonly verdict?: Verdict;
  /** What the answer says that it is of, where it says so. Often a longer name than was asked for. */
  readonly model?: string;
}

export interface TrialMeans {
  readonly client: ProviderClient;
  /** How long an endpoint is waited for that does not say itself. */
  readonly firstMs: number;
  /** What of a provider's credential may be shown. */
  readonly labelOf: (endpoint: Endpoint) => string | undefined;
  /** Ends what is under way. */
  readonly signal: AbortSignal;
}

/** Asks one endpoint for the least that there is, by the way that all calls go. */
export class EndpointTrial {
  constructor(private readonly means: TrialMeans) {}

  /**
   * @param isStreamedToo asked a second time, streamed, where the whole answer could be had
   * @throws the signal's reason
   */
  async run(place: TrialPlace, isStreamedToo: boolean): Promise<readonly TrialCall[]> {
    const whole = await this.call(place, false);
    return isStreamedToo && !whole.verdict ? [whole, await this.call(place, true)] : [whole];
  }

  private async call({ model, endpoint }: TrialPlace, isStreamed: boolean): Promise<TrialCall> {
    const { client, firstMs, labelOf, signal } = this.means;
    const timeoutMs = endpoint.firstTimeoutMs ?? firstMs;
    const request = { ...SMALLEST_REQUEST, model: model.id, stream: isStreamed, echoesUpstreamBody: true };
    const prepared = client.prepare({ model, endpoint, tier: 'standard' }, request, endpoint.provider.credential);
    const limit = new AbortController();
    // Not `AbortSignal.timeout`, which lets a process end that has nothing else to wait for.
    const timer = setTimeout(() => limit.abort(), timeoutMs);
    const beganAt = performance.now();
    let verdict: Verdict | undefined;
    const said: Said = { hasBegun: false };
    try {
      await answerOf(prepared, isStreamed, AbortSignal.any([signal, limit.signal]), said);
    } catch (error) {
      signal.throwIfAborted();
      const { sentBody, status } = prepared;
      const { hasBegun } = said;
      const tried: Tried = { endpoint, credentialLabel: labelOf(endpoint), sentBody, status, hasBegun, timeoutMs };
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
      ...(said.model !== undefined && { model: fitToShow(said.model, prepared) }),
    };
  }
}

/** What an answer has told so far. */
interface Said {
  hasBegun: boolean;
  model?: string;
}

async function answerOf(call: PreparedCall, isStreamed: boolean, signal: AbortSignal, said: Said): Promise<void> {
  if (!isStreamed) {
    hear(await call.answer(signal), said);
    return;
  }
  // To its end, which the grammar asks for: what its connection does then is no part of it.
  for await (const events of await call.stream(signal, () => true)) {
    hear(events, said);
    if (events.some(({ type }) => type === 'reply-end')) return;
  }
}

function hear(events: readonly ModelEvent[], said: Said): void {
  said.hasBegun ||= events.length > 0;
  const model = events.find((event) => event.type === 'reply-start')?.model;
  if (model !== undefined) said.model ??= model;
}

/** Of a provider's word: cleaned and cut as its codes are, and without the credential, as its faults are told. */
const fitToShow = (model: string, call: PreparedCall): string =>
  safeCode(call.masked(new ProviderFault('malformed-reply', model)).message);
