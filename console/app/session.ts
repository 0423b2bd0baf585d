import { signal } from '@preact/signals';
import { ApiFailure, send } from '../api/transport.js';

/** A session of the console, with the key or the person that signed in. */
export interface Session {
  readonly id: string;
  /** Hash of the key; null: a person signed in by an issuer. */
  readonly key: string | null;
  readonly person?: {
    readonly issuer: string;
    readonly subject: string;
    readonly name: string;
    readonly group: string;
  };
  readonly label: string;
  readonly created_at: string;
  readonly last_seen_at: string;
  readonly expires_at: string;
  readonly current: boolean;
}

/** A way to sign in: a key, the token of a link, or the answer of an issuer. */
export type SignInBody =
  | { readonly key: string }
  | { readonly link: string }
  | { readonly answer: string; readonly address: string };

/** Undefined while nothing is known; null: no session is open. */
export const session = signal<Session | null | undefined>(undefined);
/** Whether a session ended while its pages were open. */
export const hasEnded = signal(false);

interface Answer {
  readonly data: Session;
}

/** Reads the session of the browser. @param isLikely otherwise there is none, and nothing is requested */
export async function openSession(isLikely: boolean): Promise<void> {
  if (!isLikely) {
    session.value = null;
    return;
  }
  try {
    const { data } = await send<Answer>('GET', 'console/session');
    session.value = data;
  } catch {
    session.value = null;
  }
}

/** @throws ApiFailure */
export async function signIn(body: SignInBody): Promise<void> {
  const { data } = await send<Answer>('POST', 'console/session', { body });
  hasEnded.value = false;
  session.value = data;
}

/** Other windows of the browser notice the sign-out by their next request. */
export async function signOut(): Promise<void> {
  try {
    await send('DELETE', 'console/session');
  } catch (error) {
    // A session that has ended already is one that is signed out.
    if (!(error instanceof ApiFailure) || error.status !== 401) throw error;
  }
  session.value = null;
}

/** The answer to a request by the session. Where that is over, the way to sign in is shown. @throws ApiFailure */
export async function bySession<Answer>(request: () => Promise<Answer>): Promise<Answer> {
  try {
    return await request();
  } catch (error) {
    if (error instanceof ApiFailure && error.status === 401) {
      if (session.value) hasEnded.value = true;
      session.value = null;
    }
    throw error;
  }
}
