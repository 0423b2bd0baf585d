import type { ConsoleSessionEntity, SignedInPerson } from './console-session.entity.js';

/** A session as its owner sees it (docs/operate/console.md#sessions). */
export interface SessionView {
  /** Hash of its token: no credential. */
  readonly id: string;
  /** Hash of the key that signed in; null: a person did. */
  readonly key: string | null;
  /** The OIDC user, if any; absent: a key signed in. */
  readonly person?: SignedInPerson;
  readonly label: string;
  readonly created_at: string;
  readonly last_seen_at: string;
  readonly expires_at: string;
  /** Whether the request presented it. */
  readonly current: boolean;
}

/** @param current id of the session of the request, if any */
export const viewSession = (session: ConsoleSessionEntity, current: string | undefined): SessionView => ({
  ...viewTerms(session),
  last_seen_at: session.lastSeenAt.toISOString(),
  current: session.id === current,
});

/** The fields of a session that the audit log stores. */
export const viewTerms = (session: ConsoleSessionEntity): Omit<SessionView, 'last_seen_at' | 'current'> => ({
  id: session.id,
  key: session.keyHash,
  ...(session.person && { person: session.person }),
  label: session.label,
  created_at: session.createdAt.toISOString(),
  expires_at: session.expiresAt.toISOString(),
});
