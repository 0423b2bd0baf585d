import { Controller, Get, HttpCode, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { GatewayError } from '../../core/errors.js';
import { StoragePermission } from '../../inference/storage-permission.js';
import { KeptReplies } from '../../kept-replies/kept-replies.service.js';
import type { ReplyLog } from '../../kept-replies/reply-log.js';
import { Environment } from '../../shared/environment.js';
import { Answers } from '../../shared/http/answers.decorator.js';
import { FromQuery } from '../../shared/http/parameter-types.js';
import { ClosedQuery } from '../../shared/http/query.guard.js';
import { Accepts, type AuthenticatedRequest } from '../../shared/http/route.decorators.js';
import { text } from '../../shared/http/schema.js';
import { Metrics } from '../../shared/telemetry/metrics.js';
import { FramesAfter, lastNumber } from './event-ids.js';
import { RESUMABLE_MS } from './kept-delivery.js';
import { KeptReading } from './kept-reading.js';
import { ResumeQueryDto } from './resume-query.dto.js';

const LAST_EVENT_HEADER = 'last-event-id';

/** `GET /generation/stream`: the rest of a stream that was begun as resumable. */
@Controller('generation/stream')
@ClosedQuery()
export class ResumeController {
  constructor(
    private readonly replies: KeptReplies,
    private readonly permission: StoragePermission,
    private readonly environment: Environment,
    private readonly metrics: Metrics,
  ) {}

  @Get()
  @HttpCode(200)
  @Accepts('inference')
  @Answers(text(), {
    summary: 'Go on reading a stream',
    description:
      'The events of a stream that the same key began with `X-Fairlead-Resumable: true`, in the format of its route: after the one that `Last-Event-ID` names, else from the first one. Possible while the stream runs, and for five minutes after its end. 204 where nothing is left.',
    contentType: 'text/event-stream',
    reads: { 'Last-Event-ID': 'The `id` of the last event that was read.' },
    errors: ['not-found', 'conflict'],
  })
  async resume(
    @FromQuery() { id }: ResumeQueryDto,
    @Req() request: AuthenticatedRequest & Request,
    @Res() response: Response,
  ): Promise<undefined> {
    const after = readLastEvent(request);
    const { caller } = request;
    const mayKeep = await this.permission.isAllowed(caller);
    const log = await this.replies.findStream(caller, id, { sinceEndMs: RESUMABLE_MS, mayKeep });
    if (!log) {
      throw new GatewayError(
        'not-found',
        'There is no stream of this generation that can be resumed: it was not begun by this key with X-Fairlead-Resumable, or ended more than five minutes ago.',
      );
    }
    if (isRead(log, after)) {
      response.status(204).end();
      return undefined;
    }
    const frames = new FramesAfter(after);
    const { environment, metrics } = this;
    const filter = (piece: Buffer): Buffer | undefined => frames.read(piece);
    const reading = new KeptReading(response, { isStream: true, environment, metrics, filter });
    void reading.read(log).then(
      // Refused before its first event.
      (outcome) => outcome === 'withdrawn' && response.destroy(),
      (error: unknown) => reading.fail(error),
    );
    return undefined;
  }
}

/** True if the reply has ended and the client has read its last event. */
function isRead(log: ReplyLog, after: number): boolean {
  if (log.end?.kind !== 'complete' || log.count === 0) return false;
  const parts = log.partsFrom(Math.max(0, log.count - 1));
  return lastNumber(parts.join('')) <= after;
}

function readLastEvent({ headers }: Request): number {
  const header = headers[LAST_EVENT_HEADER];
  if (header === undefined || header === '') return 0;
  if (typeof header === 'string' && /^\d{1,9}$/.test(header)) return Number(header);
  throw new GatewayError('invalid-request', `${LAST_EVENT_HEADER}: must be the id of an event of the stream, a number`);
}
