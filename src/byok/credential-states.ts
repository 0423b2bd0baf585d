import { Injectable, Logger } from '@nestjs/common';
import type { Caller } from '../core/caller.js';
import { Clock } from '../core/time.js';
import { isDatabaseUnavailable } from '../shared/database/database-unavailable.js';
import { CredentialStore, type CredentialState } from './credential-store.js';
import type { Finding } from './credential-verdict.js';
import { CredentialsRepository } from './credentials.repository.js';
import type { ProviderCredentialEntity } from './provider-credential.entity.js';

/**
 * Least time between two writes of one credential's state by this process: where calls succeed and fail by turns, the
 * database is not written to for each. The latest finding meanwhile is written when that time is over.
 */
const WRITE_EVERY_MS = 1_000;
/** A state that does not change is written again after this time of use: with it the last use is stored. */
const USE_EVERY_MS = 60_000;

/** A credential as a call used it. */
export interface UsedCredential {
  readonly caller: Caller;
  readonly id: string;
  /** Epoch milliseconds. */
  readonly calledAtMs: number;
}

/** Records whether credentials work, from tests and live calls. Changes are written, and the use of each minute. */
@Injectable()
export class CredentialStates {
  private readonly logger = new Logger('byok');

  constructor(
    private readonly store: CredentialStore,
    private readonly credentials: CredentialsRepository,
    private readonly clock: Clock,
  ) {}

  /** Records a test. The state of a text that was replaced meanwhile is not touched. */
  async tested(row: ProviderCredentialEntity, finding: Finding): Promise<void> {
    await this.credentials.noteState(row, finding, new Date(this.clock.now()), 'test');
    this.store.forget(row);
  }

  /** Records a live call. Never throws, and runs in the background. */
  observed(used: UsedCredential, finding: Finding): void {
    this.inBackground(this.note(used, finding));
  }

  private async note({ caller, id, calledAtMs }: UsedCredential, finding: Finding): Promise<void> {
    const state = await this.store.stateOf(caller, id);
    if (!state || calledAtMs < state.changedAtMs) return;
    const isWaiting = state.waiting !== undefined;
    const now = this.clock.now();
    if (!isWaiting && isStored(state, finding, now)) return;
    const waitMs = state.writtenAtMs + WRITE_EVERY_MS - now;
    if (waitMs <= 0 && !isWaiting) return this.write(state, finding);
    state.waiting = finding;
    if (!isWaiting) setTimeout(() => this.inBackground(this.writeWaiting(state)), waitMs).unref();
  }

  private async writeWaiting(state: CredentialState): Promise<void> {
    const finding = state.waiting!;
    state.waiting = undefined;
    if (!isStored(state, finding, this.clock.now())) await this.write(state, finding);
  }

  private async write(state: CredentialState, finding: Finding): Promise<void> {
    const now = this.clock.now();
    Object.assign(state, finding, { writtenAtMs: now, usedAtMs: now });
    await this.credentials.noteState(state.row, finding, new Date(now), 'request');
  }

  private inBackground(work: Promise<void>): void {
    work.catch((error: unknown) => {
      if (!isDatabaseUnavailable(error))
        this.logger.warn('The state of a provider credential cannot be stored.', error);
    });
  }
}

const isStored = ({ status, reason, usedAtMs }: CredentialState, finding: Finding, now: number): boolean =>
  status === finding.status && reason === finding.reason && now - usedAtMs < USE_EVERY_MS;
