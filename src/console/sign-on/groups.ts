import type { Environment } from '../../shared/environment.js';

export type GroupSettings = Pick<Environment, 'oidcAdminGroups' | 'oidcWorkspaceGroups'>;

/** The rights of the members of a group. */
export interface GroupRights {
  readonly group: string;
  /** Id or slug of the one workspace that they administer; absent: they administer the account. */
  readonly workspace?: string;
}

/**
 * The rights of who is in these groups: of the account before those of a workspace, of several workspaces those of the
 * first in the settings.
 * @returns undefined where no group gives any
 */
export function rightsOf(settings: GroupSettings, groups: readonly string[]): GroupRights | undefined {
  const held = new Set(groups);
  const admin = settings.oidcAdminGroups.find((group) => held.has(group));
  return admin === undefined ? settings.oidcWorkspaceGroups.find(({ group }) => held.has(group)) : { group: admin };
}

/** The groups in a claim: a list, or one name. Undefined where the issuer names none. */
export function readGroups(claim: unknown): readonly string[] | undefined {
  if (typeof claim === 'string') return [claim];
  return Array.isArray(claim) ? claim.filter((entry) => typeof entry === 'string') : undefined;
}
