import { charactersOf, type ModelEvent, type StopReason } from '../conversation/event.js';
import { mergeUsage, NO_USAGE, type Usage } from '../conversation/usage.js';
import type { ProviderFault } from '../errors.js';
import type { Bill } from '../money/bill.js';
import type { PicoUsd } from '../money/credits.js';
import { SHARED_CREDENTIAL } from '../routing/credential.js';
import type { PlannedLeg } from '../routing/plan.js';
import { ENDINGS, type Ending } from './ending.js';
import type { ModelRun } from './model-run.js';

/** What one call came to. */
export interface CallCharge {
  /** Of what the caller was answered; absent where no answer went out. */
  readonly bill?: Bill;
  /** What nobody is charged for. */
  readonly operatorCost: PicoUsd;
}

/** What a call that has begun, and is not over, is shown with. */
const UNDER_WAY_STATUS = ENDINGS['caller-gone'].status;
const ANSWERED_STATUS = ENDINGS.completed.status;

/** One call of a provider within a generation, from its beginning to its one ending. Keeps nothing of its reply. */
export class ProviderCall {
  /** As far as it was reported. */
  usage: Usage = NO_USAGE;
  /** Why the reply ended; undefined unless it came to its end. */
  stop: StopReason | undefined;
  /** The provider's own id of the reply. */
  upstreamId: string | undefined;
  /** Characters of text, reasoning and arguments that came, for an estimate. */
  outputCharacters = 0;
  /** Set by its generation, once. */
  ending: Ending | undefined;
  /** Why the provider failed, where it did. */
  fault: ProviderFault | undefined;
  money: CallCharge | undefined;
  /** When its first committing event came, by `performance.now()`. */
  committedAt: number | undefined;
  /** Its reply is used, and the caller's to pay, whatever its run's purpose; set by its generation. */
  answers = false;
  /** How long the provider was waited for after that; a slow reader's time is not the provider's. Milliseconds. */
  waitedMs = 0;
  readonly beganAt = performance.now();

  /** Through the credential of the operator, who pays for it. */
  readonly isShared: boolean;

  /** @param index among the calls of its generation */
  constructor(
    readonly index: number,
    readonly run: ModelRun,
    readonly leg: PlannedLeg,
  ) {
    this.isShared = leg.credential === SHARED_CREDENTIAL;
  }

  /** False for a target that was not asked. */
  get wasMade(): boolean {
    return this.ending === undefined || ENDINGS[this.ending].charge !== 'not-called';
  }

  /** HTTP status it is shown with. */
  get status(): number {
    if (this.answers) return ANSWERED_STATUS;
    if (this.ending === undefined) return UNDER_WAY_STATUS;
    return this.fault?.detail.status ?? ENDINGS[this.ending].status;
  }

  /** Takes in what a batch of its events tells. @returns whether the reply ended with them */
  observe(batch: readonly ModelEvent[]): boolean {
    for (let index = 0; index < batch.length; index++) {
      const event = batch[index]!;
      switch (event.type) {
        case 'block-delta':
          this.outputCharacters += charactersOf(event.delta);
          break;
        case 'usage':
          this.usage = mergeUsage(this.usage, event.usage);
          break;
        case 'reply-start':
          this.upstreamId = event.id;
          break;
        case 'reply-end':
          this.stop = event.stop;
          return true;
        case 'block-start':
        case 'block-end':
        case 'ping':
          break;
      }
    }
    return false;
  }
}
