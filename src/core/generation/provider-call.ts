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

/** The money of one call. */
export interface CallCharge {
  /** The charge for the caller's answer; absent where no answer was sent. */
  readonly bill: Bill | undefined;
  /** The cost that is charged to no caller. */
  readonly operatorCost: PicoUsd;
  /** More was reported than is possible, and it is billed at its bound. */
  readonly isCapped: boolean;
}

/** Lists the request fields that a call is made without. */
export interface DropReport {
  droppedBy(leg: PlannedLeg, request: ModelRequest): readonly string[];
}

/** The status that is shown for a call that has begun and not ended. */
const UNDER_WAY_STATUS = ENDINGS['caller-gone'].status;
const ANSWERED_STATUS = ENDINGS.completed.status;

/**
 * One call of a provider within a generation, from its beginning to its single ending. Retains nothing of its reply.
 */
export class ProviderCall implements AttemptOutcomeView {
  /** Usage as the provider reported it: `judgeUsage` decides what is charged. */
  usage: Usage = NO_USAGE;
  /** Whether the last usage was reported after the last content. */
  isReportFinal = false;
  /** Why the reply ended; undefined unless it was complete. */
  stop: StopReason | undefined;
  /** The provider's own id of the reply. */
  upstreamId: string | undefined;
  /** UTF-8 bytes of the text, reasoning and tool arguments that were received, for an estimate. */
  outputBytes = 0;
  /** The provider ran a tool, as far as the reply shows it. */
  ranVendorTool = false;
  /** Whether the reply cites pages that none of its visible calls can have found: the provider searched. */
  citesPages = false;
  /** Web searches whose calls the reply shows. */
  searchCalls = 0;
  /** The open block is output of the model, not of a vendor's program (code execution). */
  private isModels = true;
  /** The whole request was sent to the provider: from here on it may be billed. */
  wasSent = false;
  /** The `traceparent` header that its provider receives; set by the tracer. */
  traceparent: string | undefined;
  /** When the call began, in epoch milliseconds; set by its telemetry. */
  calledAtMs = 0;
  /**
   * Whether this is the only call that tests whether its endpoint answers again after a pause; set by its telemetry.
   */
  isTrial = false;
  /** Lists the request fields that its provider does not receive; set by the caller of the provider. */
  drops: DropReport | undefined;
  /** HTTP status of the provider's response: of the first, where the call is several. */
  answeredStatus: number | undefined;
  /** Number of its requests that the provider answered, in any way. */
  answeredRequests = 0;
  /**
   * The caller has disconnected, and the call is read to its end because the provider bills all of it; set by its
   * generation.
   */
  isUnseen = false;
  /** The ending of the call; its generation sets it once. */
  ending: Ending | undefined;
  /** Why the provider failed, where it did. */
  fault: ProviderFault | undefined;
  money: CallCharge | undefined;
  /** The usage that is charged; known when its generation has ended. */
  charged: Usage | undefined;
  /** False: the usage exceeds what is possible. Known together with it. */
  isPlausible = true;
  /** When the first committing event arrived, by `performance.now()`. */
  committedAt: number | undefined;
  /**
   * Whether the reply of this call is used and charged to the caller, whatever the purpose of its run. Set by the
   * generation.
   */
  answers = false;
  /** Milliseconds after that in which the provider was not read, because the reader was slow. */
  pausedMs = 0;
  readonly beganAt = performance.now();
  /** When the call ended, by `performance.now()`; set by its generation. */
  endedAt: number | undefined;

  /** Made with the operator's credential, so that the operator pays the provider. */
  readonly usesSharedCredential: boolean;

  /** @param index among the calls of its generation */
  constructor(
    readonly index: number,
    readonly run: ModelRun,
    readonly leg: PlannedLeg,
  ) {
    this.usesSharedCredential = leg.credential === SHARED_CREDENTIAL;
  }

  /** False for a target that was not called. */
  get wasMade(): boolean {
    return this.ending === undefined || ENDINGS[this.ending].charge !== 'not-called';
  }

  /**
   * The request was sent to a provider that had not failed, and the call was ended early or would be if it ended now:
   * the provider bills its work, whether or not it arrived.
   */
  get isAbandoned(): boolean {
    return this.wasSent && (this.ending === undefined || ENDINGS[this.ending].abandons === true);
  }

  /** The caller pays for it, or would if its provider had not failed: its reply is used, or the caller abandoned it. */
  get isCallers(): boolean {
    if (this.answers) return true;
    return this.isAbandoned && (this.ending === undefined ? this.isUnseen : ENDINGS[this.ending].charge === 'caller');
  }

  /** The HTTP status that is shown for it. */
  get status(): number {
    if (this.answers) return ANSWERED_STATUS;
    if (this.ending === undefined) return UNDER_WAY_STATUS;
    return this.fault?.detail.status ?? ENDINGS[this.ending].status;
  }

  /** The state of the operator's credential is not shown to callers. */
  get isCredentialRefused(): boolean {
    return this.fault !== undefined && !this.usesSharedCredential && isRefusal(this.fault);
  }

  /**
   * Names of the request fields that its provider does not receive; undefined: none. Computed on demand, because few
   * need it.
   */
  get dropped(): readonly string[] | undefined {
    const names = this.drops?.droppedBy(this.leg, this.run.request);
    return names !== undefined && names.length > 0 ? names : undefined;
  }

  /** Processes a batch of its events. @returns whether the reply ended with them */
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
    // Blocks that arrive whole are results of a tool, or calls of a vendor's tool.
    if (block.type === 'server-tool-use' || block.type === 'opaque') this.ranVendorTool = true;
    if (block.type === 'server-tool-use' && block.name === 'web_search') this.searchCalls++;
  }
}

/** A citation of Anthropic names a search result by its index: that search is shown in this reply or an earlier one. */
const isOfUnshownSearch = (citation: Json): boolean =>
  isJsonObject(citation) && typeof citation['url'] === 'string' && !citation['encrypted_index'];

/** A call of the caller's tool that a program of the vendor wrote: not output of the model, and not billed as such. */
function isWrittenByProgram(block: BlockStart): boolean {
  if (block.type !== 'tool-use') return false;
  const caller = block.extras?.value['caller'];
  return isJsonObject(caller) && caller['type'] !== 'direct';
}

/** Whether the provider refused the credential, or the account behind it. */
const isRefusal = ({ kind }: ProviderFault): boolean => kind === 'refused-credential' || kind === 'payment-required';

/** UTF-8 bytes of text in a delta, from which its tokens are estimated. */
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
