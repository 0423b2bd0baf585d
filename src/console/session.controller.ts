import { Controller, Delete, Get, Header, Param, Post, Req, Res } from '@nestjs/common';
import type { CookieOptions, Request, Response } from 'express';
import type { Caller } from '../core/caller.js';
import { GatewayError } from '../core/errors.js';
import { isForeign, SESSION_COOKIE } from '../keys/presented-session.js';
import { Unlisted } from '../shared/http/answers.decorator.js';
import { readBody } from '../shared/http/dto.pipe.js';
import { OwnBody, readSmallBody } from '../shared/http/own-body.js';
import { PageDto } from '../shared/http/page.dto.js';
import { FromQuery } from '../shared/http/parameter-types.js';
import { Accepts, FromCaller, Open } from '../shared/http/route.decorators.js';
import { browserLabel } from './browser-label.js';
import { SESSION_MS_MAX } from './console-sessions.repository.js';
import { ConsoleSessionsService, type OpenedSession } from './console-sessions.service.js';
import { viewSession, type SessionView } from './session-view.js';
import { SignInDto } from './sign-in.dto.js';

/** Always secure: browsers take such a cookie on loopback too. */
const COOKIE: CookieOptions = { httpOnly: true, secure: true, sameSite: 'strict', path: '/' };

/** Sessions of the console (docs/operate/console.md#sessions): for its own pages, and so not described. */
@Controller('console')
export class SessionController {
  constructor(private readonly sessions: ConsoleSessionsService) {}

  @Post('session')
  @Open()
  @OwnBody()
  @Unlisted()
  @Header('Cache-Control', 'no-store')
  async create(
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<{ data: SessionView }> {
    if (isForeign(request.headers))
      throw new GatewayError(
        'forbidden',
        'Only the pages of the console may sign in: this request is from another page.',
      );
    const { token, session } = await this.open(request, response);
    response.cookie(SESSION_COOKIE, token, { ...COOKIE, maxAge: SESSION_MS_MAX });
    return { data: viewSession(session, session.id) };
  }

  @Get('session')
  @Accepts('management')
  @Unlisted()
  @Header('Cache-Control', 'no-store')
  async show(@FromCaller() { sessionId }: Caller): Promise<{ data: SessionView }> {
    return { data: viewSession(await this.sessions.get(sessionId), sessionId) };
  }

  @Delete('session')
  @Accepts('management')
  @Unlisted()
  async end(@FromCaller() caller: Caller, @Res({ passthrough: true }) response: Response): Promise<{ deleted: true }> {
    await this.sessions.end(caller, caller.sessionId);
    response.clearCookie(SESSION_COOKIE, COOKIE);
    return { deleted: true };
  }

  @Get('sessions')
  @Accepts('management')
  @Unlisted()
  async list(
    @FromCaller() caller: Caller,
    @FromQuery() page: PageDto,
  ): Promise<{ data: SessionView[]; total_count: number }> {
    const [sessions, total] = await this.sessions.list(caller, page);
    return { data: sessions.map((one) => viewSession(one, caller.sessionId)), total_count: total };
  }

  @Delete('sessions/:id')
  @Accepts('management')
  @Unlisted()
  async remove(@FromCaller() caller: Caller, @Param('id') id: string): Promise<{ deleted: true }> {
    await this.sessions.end(caller, id);
    return { deleted: true };
  }

  private async open(request: Request, response: Response): Promise<OpenedSession> {
    const { key, link } = readBody(await readSmallBody(request, response), SignInDto);
    const from = { address: request.ip, label: browserLabel(request.headers['user-agent']) };
    if (key !== undefined && link === undefined) return this.sessions.signIn(key, from);
    if (link !== undefined && key === undefined) return this.sessions.signInByLink(link, from);
    throw new GatewayError('invalid-request', 'body: must have either key or link');
  }
}
