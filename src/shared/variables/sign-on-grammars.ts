import { Ungrammatical, type Grammar } from './grammars.js';
import { keyServiceAddress } from './key-service-grammars.js';

/** A group whose members administer one workspace. */
export interface WorkspaceGroup {
  readonly group: string;
  /** Id or slug. */
  readonly workspace: string;
}

/**
 * The address of an issuer, as written: issuers are compared to the letter. It receives the client secret, so the same
 * addresses are allowed as for a key service.
 */
export const issuerAddress: Grammar<string> = (text) => {
  keyServiceAddress(text);
  return text;
};

/** A group, as the issuer names it. */
export const groupName: Grammar<string> = (text) => {
  if (text === '' || text.length > 255) throw new Ungrammatical('must be the name of a group, of 1 to 255 characters');
  return text;
};

/** `group=workspace`. The name of a group may contain `=` itself. */
export const workspaceGroup: Grammar<WorkspaceGroup> = (text) => {
  const match = /^(.+)=([\w-]{1,255})$/.exec(text);
  if (!match) throw new Ungrammatical('must be group=workspace, with the id or the slug of the workspace');
  return Object.freeze({ group: groupName(match[1]!.trim()), workspace: match[2]! });
};
