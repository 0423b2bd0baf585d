import { Injectable } from '@nestjs/common';
import type { Caller } from '../core/caller.js';
import type { ModelRequest } from '../core/conversation/request.js';
import type { JsonObject } from '../core/json.js';
import type { RoutingPolicy } from '../core/routing/route-inputs.js';

/** One entry of router metadata's `pipeline` (WIRE 1.16). */
export interface PipelineStage extends JsonObject {
  readonly type: 'guardrail';
  /** `content-filter`, or `regex_pi_detection`. */
  readonly name: string;
  readonly summary: string;
  readonly guardrail_id: string;
  readonly guardrail_scope: 'api-key' | 'member' | 'workspace';
  readonly data: {
    readonly action: 'block' | 'redact' | 'flag';
    readonly detected: boolean;
    readonly engines: readonly string[];
    /** Names of patterns: labels, never what they matched. */
    readonly patterns: readonly string[];
  };
}

/** What the content filters made of a request. */
export interface Inspection {
  /** The very same where nothing was redacted. */
  readonly request: ModelRequest;
  /** Of what was found; empty where nothing was. */
  readonly stages: readonly PipelineStage[];
  /** To be thrown before anything is held or sent, once the stages are with the trace: 403 naming the patterns. */
  readonly blocked?: Error;
}

/** All guardrails in force for one caller, as one. */
export interface GuardrailSet {
  readonly policies: readonly RoutingPolicy[];
  /** `scope_id`s of the budgets whose counters the hold is taken from. */
  readonly budgets: readonly string[];
  inspect(request: ModelRequest): Inspection;
}

/** Which guardrails are in force for whom. A change is in force everywhere within five seconds. */
@Injectable()
export class Guardrails {
  /** @throws GatewayError `unavailable` when the store does not answer in time */
  async of(_caller: Caller): Promise<GuardrailSet> {
    return NONE;
  }
}

const NO_STAGES: readonly never[] = [];
/** Where no guardrail is in force. */
export const NONE: GuardrailSet = {
  policies: NO_STAGES,
  budgets: NO_STAGES,
  inspect: (request) => ({ request, stages: NO_STAGES }),
};
