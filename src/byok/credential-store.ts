import { Injectable } from '@nestjs/common';
import type { Caller } from '../core/caller.js';
import type { StoredCredential } from '../core/routing/credential.js';
import type { Secret } from '../core/secret.js';

/** The provider credentials of workspaces as the request path uses them. A change is in force everywhere within five seconds. */
@Injectable()
export class CredentialStore {
  /**
   * Those that may be used for this caller: enabled, readable, and allowed for this key and user.
   * @throws GatewayError `unavailable` when the store does not answer in time
   */
  async usableBy(_caller: Caller): Promise<readonly StoredCredential[]> {
    return NONE;
  }

  /** The text of one of them, as it is now; undefined where it has gone since. */
  async reveal(_caller: Caller, _id: string): Promise<Secret | undefined> {
    return undefined;
  }
}

const NONE: readonly never[] = [];
