import { Controller, Get, Header, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { GatewayError } from '../core/errors.js';
import { isForeign, readPresentedSession } from '../keys/presented-session.js';
import { Unlisted } from '../shared/http/answers.decorator.js';
import { Open } from '../shared/http/route.decorators.js';
import { ConsoleFiles } from './console-files.js';
import { CONTENT_SECURITY_POLICY, printConsolePage } from './console-page.js';

const ROOM = '/console';
const ASSETS = 'assets/';
const PAGE_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-cache',
  Vary: 'Cookie, Sec-Fetch-Site',
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
};
/** A name with a version always has the same content. */
const FOR_GOOD = 'public, max-age=31536000, immutable';

/** The pages of the console: one document, whose program shows the page of its address. */
@Open()
@Controller('console')
export class ConsoleController {
  constructor(private readonly files: ConsoleFiles) {}

  @Get()
  @Unlisted()
  page(@Req() request: Request, @Res({ passthrough: true }) response: Response): Promise<string> {
    return this.print(request, response);
  }

  /** One route for all that stands below: each further one would cost every request a comparison. */
  @Get('*path')
  @Header('X-Content-Type-Options', 'nosniff')
  @Unlisted()
  async below(@Req() request: Request, @Res({ passthrough: true }) response: Response): Promise<string> {
    // As it was sent: no other spelling of a name is one.
    const name = request.path.slice(ROOM.length + 1);
    if (!name.startsWith(ASSETS)) return this.print(request, response);
    const file = await this.files.find(name.slice(ASSETS.length));
    if (!file) throw new GatewayError('not-found', 'The console has no such file.');
    response.set({ 'Content-Type': file.contentType, 'Cache-Control': FOR_GOOD, ETag: `"${name}"` });
    return file.text;
  }

  private async print(request: Request, response: Response): Promise<string> {
    response.set(PAGE_HEADERS);
    const depth = request.path.split('/').length - 2;
    // A link on a page of another site opens the page without the cookie, which the requests of the page have.
    const mayBeSignedIn = readPresentedSession(request.headers) !== undefined || isForeign(request.headers);
    return printConsolePage(await this.files.parts(), depth, mayBeSignedIn);
  }
}
