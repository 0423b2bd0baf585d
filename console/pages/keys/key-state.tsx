import type { JSX } from 'preact';
import type { Key } from '../../api/schema.js';

/** Whether a key works, in a word. */
export function KeyState({
  of: { disabled, deleted_at: deletedAt, expires_at: expiresAt, limit_remaining: left },
}: {
  readonly of: Pick<Key, 'disabled' | 'deleted_at' | 'expires_at' | 'limit_remaining'>;
}): JSX.Element {
  if (deletedAt !== undefined) return <span class="bad">deleted</span>;
  if (expiresAt !== null && Date.parse(expiresAt) <= Date.now()) return <span class="bad">expired</span>;
  if (disabled) return <span class="warn">disabled</span>;
  return left === 0 ? <span class="warn">nothing left</span> : <span class="good">in use</span>;
}
