import { Injectable } from '@nestjs/common';
import type { CancelSignal } from '../core/cancellation.js';
import type { ModelEvent } from '../core/conversation/event.js';
import type { ModelRequest } from '../core/conversation/request.js';
import { ProviderFault } from '../core/errors.js';
import { SHARED_CREDENTIAL } from '../core/routing/credential.js';
import type { Leg } from '../core/routing/plan.js';
import type { Secret } from '../core/secret.js';
import { left, Pulled, type Puller } from '../core/stream/pulled.js';
import type { EventBatches, PreparedCall } from '../providers/prepared-call.js';
import { ProviderClient } from '../providers/provider-client.js';
import { Environment } from '../shared/environment.js';
import type { RevealCredential } from './route-planner.js';
import { StreamAttempt, untilCommitted } from './stream-attempt.js';

/**
 * A reply whose beginning is known: that first, then the rest as it comes. A whole reply is all beginning. Leave it by
 * `return`, also at its end.
 */
export class StartedReply extends Pulled<readonly ModelEvent[]> {
  /** The body that its provider was sent, which never holds the credential. Undefined: nobody wants to see it. */
  readonly sentBody: string | undefined;
  private isBegun = false;

  constructor(
    call: PreparedCall,
    readonly beginning: readonly ModelEvent[],
    private readonly rest?: EventBatches,
    private readonly attempt?: StreamAttempt,
  ) {
    super();
    this.sentBody = call.sentBody;
  }

  override pull(puller: Puller<readonly ModelEvent[]>): void {
    if (!this.isBegun) {
      this.isBegun = true;
      puller.take(this.beginning);
    } else if (this.rest) this.rest.pull(puller);
    else puller.end();
  }

  override return(): Promise<IteratorResult<readonly ModelEvent[], undefined>> {
    this.attempt?.settle();
    return this.rest ? this.rest.return() : left();
  }
}

/**
 * Makes one attempt: the call of a leg, waited for until its first committing event. Each attempt is built afresh from
 * the caller's request, with the credential, address and model name of its own target.
 */
@Injectable()
export class AttemptRunner {
  constructor(
    private readonly client: ProviderClient,
    private readonly environment: Environment,
  ) {}

  /**
   * Resolves once the reply has committed itself, with all its events from the start on; the rest is
   * pulled by whoever iterates.
   * @throws ProviderFault, Untranslatable, or the signal's reason
   */
  async run(leg: Leg, request: ModelRequest, reveal: RevealCredential, signal: CancelSignal): Promise<StartedReply> {
    const prepared = this.prepare(leg, request, reveal);
    const call = prepared instanceof Promise ? await prepared : prepared;
    return request.stream ? await this.runStream(call, signal) : new StartedReply(call, await call.answer(signal));
  }

  /**
   * The provider's own count of the prompt's tokens; undefined where its dialect has none. Nothing is answered or
   * charged.
   * @throws ProviderFault, Untranslatable, or the signal's reason
   */
  async count(
    leg: Leg,
    request: ModelRequest,
    reveal: RevealCredential,
    signal: CancelSignal,
  ): Promise<number | undefined> {
    if (!this.client.canCount(leg.endpoint.provider)) return undefined;
    return (await this.prepare(leg, request, reveal)).count(signal);
  }

  /** With the credential of the leg: at hand where it is the operator's, else revealed first. */
  private prepare(leg: Leg, request: ModelRequest, reveal: RevealCredential): PreparedCall | Promise<PreparedCall> {
    if (leg.credential === SHARED_CREDENTIAL)
      return this.client.prepare(leg, request, leg.endpoint.provider.credential);
    return ownCredential(leg, reveal).then((credential) => this.client.prepare(leg, request, credential));
  }

  private async runStream(call: PreparedCall, signal: CancelSignal): Promise<StartedReply> {
    const { firstTimeoutMs = this.environment.timeouts.firstMs } = call.target.endpoint;
    const attempt = new StreamAttempt(signal, firstTimeoutMs);
    try {
      const batches = await call.stream(attempt.signal, () => attempt.isCommitted);
      return new StartedReply(call, await untilCommitted(batches, attempt), batches, attempt);
    } catch (error) {
      attempt.settle();
      throw attempt.reasonOf(error);
    }
  }
}

async function ownCredential({ credential }: Leg, reveal: RevealCredential): Promise<Secret> {
  const revealed = await reveal(credential);
  if (!revealed) throw new ProviderFault('refused-credential', 'The credential is no longer in use.');
  return revealed;
}
