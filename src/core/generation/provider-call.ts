import type { BlockDelta, BlockStart, ModelEvent, StopReason } from '../conversation/event.js';
import type { ModelRequest } from '../conversation/request.js';
import { mergeUsage, NO_USAGE, type Usage } from '../conversation/usage.js';
import type { ProviderFault } from '../errors.js';
import { isJsonObject, type Json } from '../json/json.js';
import type { Bill } from '../money/bill.js';
import type { PicoUsd } from '../money/credits.js';
import { DRAWN_BYTES } from '../money/estimate.js';
import { SHARED_CREDENTIAL } from '../routing/credential.js';
import type { PlannedLeg } from '../routing/plan.js';
import type { AttemptOutcomeView } from '../routing/router-metadata.js';
import { ENDINGS, type Ending } from './ending.js';
import type { ModelRun } from './model-run.js';

/** What one call came to. */
export interface CallCharge {
  /** Of what the caller was answered; absent where no answer went out. */
  readonly bill: Bill | undefined;
  /** What nobody is charged for. */
  readonly operatorCost: PicoUsd;
  /** More was told than can be, and it is billed at its bound. */
  readonly isCapped: boolean;
}

/** Tells what of a request a call is made without. */
export interface DropReport {
  droppedBy(leg: PlannedLeg, request: ModelRequest): readonly string[];
}

/** What a call that has begun, and is not over, is shown with. */
const UNDER_WAY_STATUS = ENDINGS['caller-gone'].status;
const ANSWERED_STATUS = ENDINGS.completed.status;

/** One call of a provider within a generation, from its beginning to its one ending. Keeps nothing of its reply. */
export class ProviderCall implements AttemptOutcomeView {
  /** As it was reported: `judgeUsage` says what of it is charged. */
  usage: Usage = NO_USAGE;
  /** The last report came after the last words. */
  isReportFinal = false;
  /** Why the reply ended; undefined unless it came to its end. */
  stop: StopReason | undefined;
  /** The provider's own id of the reply. */
  upstreamId: string | undefined;
  /** What came of text, reasoning and arguments that the model said, in bytes of UTF-8, for an estimate. */
  outputBytes = 0;
  /** The provider ran a tool on the way, as far as the reply shows it. */
  ranVendorTool = false;
  /** It cites pages of which no call that it shows can tell: somebody searched. */
  citesPages = false;
  /** Searches of the web that the provider shows by their calls. */
  searchCalls = 0;
  /** The block that is open is no call that a program wrote. */
  private isModels = true;
  /** All of its request went to the provider: from here on it may be billed. */
  wasSent = false;
  /** Header of that name that its provider is sent, so that the trace goes on there; set by who traces it. */
  traceparent: string | undefined;
  /** When it began, in epoch milliseconds; set by its telemetry. */
  calledAtMs = 0;
  /** It finds out alone whether its endpoint answers again after a pause; set by its telemetry. */
  isTrial = false;
  /** Who knows what of the request its provider is not sent; set by who makes the call. */
  drops: DropReport | undefined;
  /** HTTP status that its provider answered with. */
  answeredStatus: number | undefined;
  /** Its caller has left, and it is read to its end because the provider bills all of it; set by its generation. */
  isUnseen = false;
  /** Set by its generation, once. */
  ending: Ending | undefined;
  /** Why the provider failed, where it did. */
  fault: ProviderFault | undefined;
  money: CallCharge | undefined;
  /** What of its usage is charged; known when its generation has ended. */
  charged: Usage | undefined;
  /** When its first committing event came, by `performance.now()`. */
  committedAt: number | undefined;
  /** Its reply is used, and the caller's to pay, whatever its run's purpose; set by its generation. */
  answers = false;
  /** How long nobody waited for the provider after that: its reader was slow. Milliseconds. */
  pausedMs = 0;
  readonly beganAt = performance.now();
  /** When it was over, by `performance.now()`; set by its generation. */
  endedAt: number | undefined;

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

  /**
   * The provider, who did not fail, was left when it had been sent, or would be left now: he bills what he did, whether
   * it came or not.
   */
  get isAbandoned(): boolean {
    return this.wasSent && (this.ending === undefined || ENDINGS[this.ending].abandons === true);
  }

  /** It is for the caller to pay, or would be if its provider had not failed: its reply is used, or he left it. */
  get isCallers(): boolean {
    if (this.answers) return true;
    return this.isAbandoned && (this.ending === undefined ? this.isUnseen : ENDINGS[this.ending].charge === 'caller');
  }

  /** HTTP status it is shown with. */
  get status(): number {
    if (this.answers) return ANSWERED_STATUS;
    if (this.ending === undefined) return UNDER_WAY_STATUS;
    return this.fault?.detail.status ?? ENDINGS[this.ending].status;
  }

  /** What became of the operator's credential is not the caller's affair. */
  get isCredentialRefused(): boolean {
    return this.fault !== undefined && !this.isShared && isRefusal(this.fault);
  }

  /** Names of what of the request its provider is not sent; undefined: nothing. Computed for who reads it: few do. */
  get dropped(): readonly string[] | undefined {
    const names = this.drops?.droppedBy(this.leg, this.run.request);
    return names !== undefined && names.length > 0 ? names : undefined;
  }

  /** Takes in what a batch of its events tells. @returns whether the reply ended with them */
  observe(batch: readonly ModelEvent[]): boolean {
    for (let index = 0; index < batch.length; index++) {
      const event = batch[index]!;
      switch (event.type) {
        case 'block-delta':
          if (event.delta.type === 'citation') this.citesPages ||= isOfUnshownSearch(event.delta.citation);
          else if (this.isModels) this.outputBytes += bytesOf(event.delta);
          break;
        case 'usage':
          this.usage = this.usage === NO_USAGE ? event.usage : mergeUsage(this.usage, event.usage);
          this.isReportFinal = event.isInterim !== true;
          break;
        case 'reply-start':
          this.upstreamId = event.id;
          break;
        case 'reply-end':
          this.stop = event.stop;
          return true;
        case 'block-start':
          if (event.block.type === 'text' || event.block.type === 'thinking') this.isModels = true;
          else this.begin(event.block);
          break;
        case 'block-end':
        case 'ping':
          break;
      }
    }
    return false;
  }

  private begin(block: BlockStart): void {
    this.isModels = !isWrittenByProgram(block);
    if (block.type === 'image') this.outputBytes += DRAWN_BYTES;
    // What arrives whole is the result of a tool, or of a call to one.
    if (block.type === 'server-tool-use' || block.type === 'opaque') this.ranVendorTool = true;
    if (block.type === 'server-tool-use' && block.name === 'web_search') this.searchCalls++;
  }
}

/** Anthropic's citations name a result by its index: its search was shown here, or in an earlier reply. */
const isOfUnshownSearch = (citation: Json): boolean =>
  isJsonObject(citation) && typeof citation['url'] === 'string' && !citation['encrypted_index'];

/** A call of the caller's tool that a program made which the vendor runs: no model said it, and nobody counts it. */
function isWrittenByProgram(block: BlockStart): boolean {
  if (block.type !== 'tool-use') return false;
  const caller = block.extras?.value['caller'];
  return isJsonObject(caller) && caller['type'] !== 'direct';
}

/** What its provider says of the credential, or of the account behind it. */
const isRefusal = ({ kind }: ProviderFault): boolean => kind === 'refused-credential' || kind === 'payment-required';

/** How much text a delta adds, in bytes of UTF-8: what an estimate of its tokens is made from. */
function bytesOf(delta: BlockDelta): number {
  switch (delta.type) {
    case 'text':
    case 'thinking':
      return Buffer.byteLength(delta.text);
    case 'input-json':
      return Buffer.byteLength(delta.json);
    case 'signature':
    case 'citation':
    case 'opaque':
      return 0;
  }
}
