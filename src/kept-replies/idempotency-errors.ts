import { Injectable } from '@nestjs/common';
import type { Caller } from '../core/caller.js';
import { GatewayError } from '../core/errors.js';
import type { Json } from '../core/json/json.js';
import { GenerationRepository } from '../ledger/generations/generation.repository.js';
import type { StoredClaim } from './kept-replies.repository.js';

/** Why a request that was sent before is not answered again (docs/use/idempotency.md#conflicts). */
export type IdempotencyFault = 'idempotency_conflict' | 'idempotency_lost' | 'idempotency_not_kept';

type FirstRequest = Pick<StoredClaim, 'createdAt' | 'generationId'>;

const MESSAGES: Readonly<Record<IdempotencyFault, (first: FirstRequest) => string>> = {
  idempotency_conflict: ({ createdAt, generationId }) =>
    `idempotency-key: was used for another request${generationId === null ? '' : ` (generation ${generationId})`} at ${createdAt.toISOString()}; use a new key for each request, and the same one only to repeat it`,
  idempotency_lost: () =>
    'The gateway that ran this request stopped before the reply was complete; send the request with a new idempotency-key to run it again.',
  idempotency_not_kept: () =>
    'The reply to this request is not kept, because it is too large, its data must not be retained, or it failed after its provider was paid; send the request with a new idempotency-key to run it again.',
};

/** The errors of requests that are repeated, with what the first one cost. */
@Injectable()
export class IdempotencyErrors {
  constructor(private readonly generations: GenerationRepository) {}

  async of(fault: IdempotencyFault, caller: Caller, first: FirstRequest): Promise<GatewayError> {
    const { createdAt, generationId } = first;
    const metadata = {
      error_type: fault,
      first_used_at: createdAt.toISOString(),
      generation_id: generationId,
      charged: await this.chargeOf(caller, generationId),
    };
    return new GatewayError('conflict', MESSAGES[fault](first), { errorType: fault, metadata });
  }

  /** The charge in USD; null: it is not settled yet, or nothing is charged. */
  private async chargeOf(caller: Caller, generationId: string | null): Promise<Json> {
    const row = generationId === null ? null : await this.generations.find(caller, generationId);
    return row ? Number(row.cost) : null;
  }
}
