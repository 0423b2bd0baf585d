import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../core/time.js';
import { described, integer, moment, nullable, object, text, titled, type Static } from '../shared/http/schema.js';
import { GatewayError } from '../core/errors.js';
import { DataKeys } from '../vault/data-keys.js';
import { KEY_SERVICE_RETRY_AFTER_MS } from '../vault/key-ring.js';
import { KeyServiceUnavailable } from '../vault/key-service.js';
import { verifyChain, type ChainReport } from './verify-audit.js';

/** Whether the chain of an account is whole. */
export const auditVerificationView = titled(
  'audit-verification',
  object({
    verified_at: described('When the verification began.', moment()),
    entries: described('Valid ones: all that are kept, or those before the break.', integer()),
    unsealed: described('Of these: without a seal, from before there were seals.', integer()),
    unchecked: described('Of these: with a seal whose key does not open.', integer()),
    last: described(
      'The last valid entry; its seal is what to keep elsewhere.',
      object({
        id: text(),
        hash: described('Of the entry.', text()),
        seal: described('Null where the entry has none.', nullable(text())),
      }),
    ),
    broken: described(
      'The first break; null: there is none.',
      nullable(object({ id: text(), reason: described('What is wrong with the entry.', text()) })),
    ),
  }),
);
export type AuditVerificationView = Static<typeof auditVerificationView>;

/** Verifies the chains of accounts while the gateway works. */
@Injectable()
export class AuditVerification {
  /** Running verifications by account: calls meanwhile get their results. */
  private readonly running = new Map<string, Promise<AuditVerificationView>>();

  constructor(
    private readonly database: DataSource,
    private readonly keys: DataKeys,
    private readonly clock: Clock,
  ) {}

  /** @throws GatewayError `service-unavailable` when the key service does not answer */
  async run(accountId: string): Promise<AuditVerificationView> {
    const running = this.running.get(accountId);
    if (running) return running;
    const verification = this.verify(accountId).finally(() => this.running.delete(accountId));
    this.running.set(accountId, verification);
    return verification;
  }

  private async verify(accountId: string): Promise<AuditVerificationView> {
    const verifiedAt = new Date(this.clock.now()).toISOString();
    try {
      const report = await verifyChain(this.database.manager, accountId, this.keys);
      return { verified_at: verifiedAt, ...viewReport(report) };
    } catch (cause) {
      if (!(cause instanceof KeyServiceUnavailable)) throw cause;
      const message = 'The chain cannot be verified at the moment: the key service does not answer; try again shortly.';
      const retry = { retryAfterMs: KEY_SERVICE_RETRY_AFTER_MS };
      throw new GatewayError('service-unavailable', message, retry, { cause });
    }
  }
}

const viewReport = ({
  entries,
  unsealed,
  unchecked,
  last,
  lastSeal,
  broken,
}: ChainReport): Omit<AuditVerificationView, 'verified_at'> => ({
  entries,
  unsealed,
  unchecked,
  last: { id: String(last.seq), hash: last.hash, seal: lastSeal?.seal ?? null },
  broken: broken ? { id: String(broken.seq), reason: `The entry ${broken.reason}.` } : null,
});
