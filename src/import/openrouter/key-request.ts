import { RESET_INTERVALS } from '../../core/time.js';
import type { Note } from '../remark.js';
import type { ExportedKey } from './read-exports.js';
import type { Workspaces } from './workspaces.js';

/** The request that creates a key here (docs/operate/keys.md#administration). */
export interface KeyRequest {
  readonly location: string;
  /** Hash of the key in the export; exported credentials refer to keys by this hash. */
  readonly oldHash: string;
  readonly body: { readonly name: string; readonly [field: string]: unknown };
  /** Whether the key is disabled once it is created. */
  readonly disabled: boolean;
}

/** @returns undefined where there is nothing to create: noted. @param now epoch milliseconds */
export function keyRequest(
  { location, fields, hash }: ExportedKey,
  workspaces: Workspaces,
  now: number,
  note: Note,
): KeyRequest | undefined {
  const { name, limit, limit_reset: reset, usage, expires_at: expiry, external_user: external } = fields;
  const title = `${location} (${typeof name === 'string' ? name : ''})`;
  if (typeof name !== 'string' || name === '') {
    note('left-out', location, 'has no name');
    return undefined;
  }
  const expiresAt = typeof expiry === 'string' ? new Date(expiry) : undefined;
  if (expiresAt && !(expiresAt.getTime() > now)) {
    note('left-out', title, 'has expired');
    return undefined;
  }
  const hasReset = RESET_INTERVALS.some((interval) => interval === reset);
  if (typeof limit === 'number' && !hasReset && typeof usage === 'number' && usage > 0)
    note('assumed', title, `has its whole limit again: the ${usage} USD it has spent are not carried over`);
  const creator = fields['creator_user_id'];
  const workspace = workspaces.find(fields['workspace_id'], title, note);
  return {
    location: title,
    oldHash: hash,
    body: {
      name,
      ...(typeof limit === 'number' && { limit }),
      ...(hasReset && { limit_reset: reset }),
      ...(fields['include_byok_in_limit'] === true && { include_byok_in_limit: true }),
      ...(expiresAt && { expires_at: expiresAt.toISOString() }),
      ...(typeof creator === 'string' && { creator_user_id: creator }),
      ...(typeof external === 'string' && { external: { user: external } }),
      ...(workspace !== undefined && { workspace_id: workspace }),
    },
    disabled: fields['disabled'] === true,
  };
}
