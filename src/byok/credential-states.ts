import { Injectable, Logger } from '@nestjs/common';
import type { Caller } from '../core/caller.js';
import { Clock } from '../core/time.js';
import { isDatabaseUnavailable } from '../shared/database/database-unavailable.js';
import { CredentialStore } from './credential-store.js';
import type { Finding } from './credential-verdict.js';
import { CredentialsRepository } from './credentials.repository.js';
import type { ProviderCredentialEntity } from './provider-credential.entity.js';

/**
 * Least time between two writes of one credential's state by this process: where calls succeed and fail by turns, the
 * database is not written to for each.
 */
const WRITE_EVERY_MS = 1_000;

/** A credential as a call used it. */
export interface UsedCredential {
  readonly caller: Caller;
  readonly id: string;
  /** Epoch milliseconds. */
  readonly calledAtMs: number;
}

/** Keeps whether credentials work, by tests and by live calls. Only what changes is written. */
@Injectable()
export class CredentialStates {
  private readonly logger = new Logger('byok');

  constructor(
    private readonly store: CredentialStore,
    private readonly credentials: CredentialsRepository,
    private readonly clock: Clock,
  ) {}

  /** Of a test. The state of a text that was replaced meanwhile is not touched. */
  async tested(row: ProviderCredentialEntity, finding: Finding): Promise<void> {
    await this.credentials.noteState(row, finding, new Date(this.clock.now()));
    this.store.forget(row);
  }

  /** Of a live call. Never throws, and nobody waits for it. */
  observed(used: UsedCredential, finding: Finding): void {
    void this.note(used, finding).catch((error: unknown) => {
      if (!isDatabaseUnavailable(error)) this.logger.warn('The state of a provider credential cannot be kept.', error);
    });
  }

  private async note({ caller, id, calledAtMs }: UsedCredential, finding: Finding): Promise<void> {
    const state = await this.store.stateOf(caller, id);
    if (!state || calledAtMs < state.changedAtMs) return;
    const { status, reason, writtenAtMs } = state;
    if (status === finding.status && reason === finding.reason) return;
    const now = this.clock.now();
    if (now - writtenAtMs < WRITE_EVERY_MS) return;
    Object.assign(state, finding, { writtenAtMs: now });
    await this.credentials.noteState(state.row, finding, new Date(now));
  }
}
