import { Injectable } from '@nestjs/common';
import { AccountDirectory } from '../../accounts/account-directory.js';
import { WorkspaceDirectory } from '../../accounts/workspace-directory.js';
import { wholeAccount, type Caller, type Person } from '../../core/caller.js';
import { GatewayError } from '../../core/errors.js';
import { hashKey } from '../../core/ids.js';
import { Environment } from '../../shared/environment.js';
import type { SignedInPerson } from '../console-session.entity.js';
import { rightsOf } from './groups.js';

/** The callers whom an issuer has authenticated. */
@Injectable()
export class Persons {
  constructor(
    private readonly environment: Environment,
    private readonly accounts: AccountDirectory,
    private readonly workspaces: WorkspaceDirectory,
  ) {}

  /**
   * The caller of who signed in, by the settings of this process: a group, an issuer or a workspace that is gone gives
   * nothing any more.
   */
  async find(accountId: string, { group, ...person }: SignedInPerson): Promise<Caller | null> {
    const rights = rightsOf(this.environment, [group]);
    if (!rights || person.issuer !== this.environment.oidcIssuer) return null;
    const workspaceId = await this.workspaceOf(accountId, rights.workspace);
    if (workspaceId === undefined) return null;
    const egress = await this.accounts.getEgress(accountId);
    return Object.freeze({
      accountId,
      workspaceId,
      keyHash: personId(person),
      kind: 'management',
      ...(rights.workspace !== undefined && { boundTo: workspaceId }),
      userId: null,
      person,
      ...(egress && { egress }),
    });
  }

  /** @returns undefined where the named one does not exist */
  private async workspaceOf(accountId: string, reference: string | undefined): Promise<string | undefined> {
    try {
      return await this.workspaces.idOrDefault(wholeAccount(accountId), reference);
    } catch (error) {
      if (error instanceof GatewayError && error.kind === 'not-found') return undefined;
      throw error;
    }
  }
}

/** Used instead of the hash of a key. No issuer has a space. */
const personId = ({ issuer, subject }: Person): string => hashKey(`${issuer} ${subject}`);
