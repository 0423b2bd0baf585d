import { Controller, Get, Header, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { GatewayError } from '../core/errors.js';
import { isForeign, readPresentedSession } from '../keys/presented-session.js';
import { Unlisted } from '../shared/http/answers.decorator.js';
import { Open } from '../shared/http/route.decorators.js';
import { fileHeaders, PAGE_HEADERS } from '../shared/http/page-files.js';
import { ConsoleFiles } from './console-files.js';
import { printConsolePage } from './console-page.js';
import { Issuer } from './sign-on/issuer.js';

const ROOM = '/console';
const ASSETS = 'assets/';
const HEADERS = { ...PAGE_HEADERS, Vary: 'Cookie, Sec-Fetch-Site' };

/** The pages of the console: one document, whose program shows the page of its address. */
@Open()
@Controller('console')
export class ConsoleController {
  constructor(
    private readonly files: ConsoleFiles,
    private readonly issuer: Issuer,
  ) {}

  @Get()
  @Unlisted()
  page(@Req() request: Request, @Res({ passthrough: true }) response: Response): Promise<string> {
    return this.print(request, response);
  }

  /** One route for all paths below: each further route would cost every request a comparison. */
  @Get('*path')
  @Header('X-Content-Type-Options', 'nosniff')
  @Unlisted()
  async below(@Req() request: Request, @Res({ passthrough: true }) response: Response): Promise<string> {
    // The path is not decoded, so that each file has exactly one address.
    const name = request.path.slice(ROOM.length + 1);
    if (!name.startsWith(ASSETS)) return this.print(request, response);
    const file = await this.files.find(name.slice(ASSETS.length));
    if (!file) throw new GatewayError('not-found', 'The console has no such file.');
    response.set(fileHeaders(name, file));
    return file.text;
  }

  private async print(request: Request, response: Response): Promise<string> {
    response.set(HEADERS);
    const depth = request.path.split('/').length - 2;
    // A link on a page of another site opens the page without the cookie, which the requests of the page have.
    const mayBeSignedIn = readPresentedSession(request.headers) !== undefined || isForeign(request.headers);
    return printConsolePage(await this.files.parts(), { depth, mayBeSignedIn, issuer: this.issuer.host });
  }
}
