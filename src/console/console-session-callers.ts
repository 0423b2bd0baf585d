import { Injectable } from '@nestjs/common';
import { Clock, MINUTE_MS } from '../core/time.js';
import type { LiveSession, SessionCallers } from '../keys/presented-session.js';
import { notReadable, withinTime } from '../shared/within-time.js';
import type { ConsoleSessionEntity } from './console-session.entity.js';
import { ConsoleSessionsRepository } from './console-sessions.repository.js';

/** How often the use of a session is written. */
const TOUCH_MS = MINUTE_MS;

/**
 * The sessions as the guard of the routes sees them. None is cached: a revocation is in force everywhere with its
 * commit, and pages make few requests.
 */
@Injectable()
export class ConsoleSessionCallers implements SessionCallers {
  constructor(
    private readonly sessions: ConsoleSessionsRepository,
    private readonly clock: Clock,
  ) {}

  async find(id: string): Promise<LiveSession | null> {
    const at = new Date(this.clock.now());
    const session = await this.read(id, at);
    if (!session) return null;
    if (at.getTime() - session.lastSeenAt.getTime() >= TOUCH_MS) await this.sessions.touch(session, at);
    return { id, secretHash: session.secretHash };
  }

  private async read(id: string, at: Date): Promise<ConsoleSessionEntity | null> {
    try {
      return await withinTime(this.sessions.find(id, at));
    } catch (error) {
      throw notReadable('The session', error);
    }
  }
}
