import { Controller, Delete, Get, Header, Param, Post, Req, Res } from '@nestjs/common';
import type { CookieOptions, Request, Response } from 'express';
import type { Caller } from '../core/caller.js';
import { GatewayError } from '../core/errors.js';
import { parseUrl } from '../core/parse-url.js';
import { isForeign, SESSION_COOKIE, tokenReader } from '../keys/presented-session.js';
import { Unlisted } from '../shared/http/answers.decorator.js';
import { readBody } from '../shared/http/dto.pipe.js';
import { ReadsSmallBody, readSmallBody } from '../shared/http/small-body.js';
import { PageDto } from '../shared/http/page.dto.js';
import { FromQuery } from '../shared/http/parameter-types.js';
import { Accepts, FromCaller, Open } from '../shared/http/route.decorators.js';
import { browserLabel } from './browser-label.js';
import { SESSION_MS_MAX } from './console-sessions.repository.js';
import { ConsoleSessionsService, type OpenedSession, type SignInFrom } from './console-sessions.service.js';
import { viewSession, type SessionView } from './session-view.js';
import { SignInDto, SignOnDto } from './sign-in.dto.js';
import { SignOnService } from './sign-on/sign-on.service.js';
import { SIGN_ON_MS_MAX } from './sign-on/sign-on-state.js';

/** Recognises the browser that began a sign-in at an issuer. */
const SIGN_ON_COOKIE = `${SESSION_COOKIE}-sign-on`;
/** Always secure: browsers take such a cookie on loopback too. */
const COOKIE: CookieOptions = { httpOnly: true, secure: true, sameSite: 'strict', path: '/' };

/** Sessions of the console (docs/operate/console.md#sessions): for its own pages, and so not described. */
@Controller('console')
export class SessionController {
  constructor(
    private readonly sessions: ConsoleSessionsService,
    private readonly signOn: SignOnService,
  ) {}

  @Post('session')
  @Open()
  @ReadsSmallBody()
  @Unlisted()
  @Header('Cache-Control', 'no-store')
  async create(
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<{ data: SessionView }> {
    refuseForeign(request);
    const { token, session } = await this.open(request, response);
    response.cookie(SESSION_COOKIE, token, { ...COOKIE, maxAge: SESSION_MS_MAX });
    return { data: viewSession(session, session.id) };
  }

  /** Begins a sign-in at the issuer of the settings: the page redirects the browser there. */
  @Post('oidc')
  @Open()
  @ReadsSmallBody()
  @Unlisted()
  @Header('Cache-Control', 'no-store')
  async begin(
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<{ data: { url: string } }> {
    refuseForeign(request);
    const { address } = readBody(await readSmallBody(request, response), SignOnDto);
    const known = readSignOnToken(request.headers);
    const { url, token } = await this.signOn.begin(ownAddress(address, request), known, senderOf(request));
    response.cookie(SIGN_ON_COOKIE, token, { ...COOKIE, maxAge: SIGN_ON_MS_MAX });
    return { data: { url } };
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
    return { data: sessions.map((session) => viewSession(session, caller.sessionId)), total_count: total };
  }

  @Delete('sessions/:id')
  @Accepts('management')
  @Unlisted()
  async remove(@FromCaller() caller: Caller, @Param('id') id: string): Promise<{ deleted: true }> {
    await this.sessions.end(caller, id);
    return { deleted: true };
  }

  private async open(request: Request, response: Response): Promise<OpenedSession> {
    const { key, link, answer, address } = readBody(await readSmallBody(request, response), SignInDto);
    const from = senderOf(request);
    if ([key, link, answer].filter((way) => way !== undefined).length === 1) {
      if (key !== undefined) return this.sessions.signIn(key, from);
      if (link !== undefined) return this.sessions.signInByLink(link, from);
      if (address !== undefined) {
        const redirected = new URL(`${ownAddress(address, request)}?${answer}`);
        return this.signOn.finish(redirected, readSignOnToken(request.headers), from);
      }
    }
    throw new GatewayError('invalid-request', 'body: must have either key, link, or answer and address');
  }
}

const readSignOnToken = tokenReader(SIGN_ON_COOKIE);

const senderOf = ({ ip, headers }: Request): SignInFrom => ({
  address: ip,
  label: browserLabel(headers['user-agent']),
});

/** @throws GatewayError `forbidden` */
function refuseForeign({ headers }: Request): void {
  if (!isForeign(headers)) return;
  throw new GatewayError('forbidden', 'Only the pages of the console may sign in: this request is from another page.');
}

/**
 * An address of the page that sends the request: the browser names its origin.
 * @throws GatewayError `invalid-request`
 */
function ownAddress(address: string, { headers }: Request): string {
  const url = parseUrl(address);
  if (url && url.href === address && url.origin === headers.origin) return address;
  throw new GatewayError('invalid-request', 'address: must be of the page that sends this request');
}
