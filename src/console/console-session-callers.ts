import { Injectable } from '@nestjs/common';
import { Clock, MINUTE_MS } from '../core/time.js';
import type { LiveSession, SessionCallers } from '../keys/presented-session.js';
import { readInTime } from '../shared/within-time.js';
import { ConsoleSessionsRepository } from './console-sessions.repository.js';
import { Persons } from './sign-on/persons.js';

/** Milliseconds between two writes of a session's last use. */
const TOUCH_MS = MINUTE_MS;

/**
 * The sessions as the guard of the routes sees them. None is cached: a revocation is in force everywhere with its
 * commit, and pages make few requests.
 */
@Injectable()
export class ConsoleSessionCallers implements SessionCallers {
  constructor(
    private readonly sessions: ConsoleSessionsRepository,
    private readonly persons: Persons,
    private readonly clock: Clock,
  ) {}

  async find(id: string): Promise<LiveSession | null> {
    const at = new Date(this.clock.now());
    const session = await readInTime('The session', this.sessions.find(id, at));
    if (!session) return null;
    if (at.getTime() - session.lastSeenAt.getTime() >= TOUCH_MS) await this.sessions.touch(session, at);
    if (session.secretHash !== null) return { secretHash: session.secretHash };
    const caller = await this.persons.find(session.accountId, session.person!);
    return caller && { caller };
  }
}
