import { Controller, Get, Header, HttpStatus, Redirect, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { GatewayError } from '../core/errors.js';
import { Environment } from '../shared/environment.js';
import { Answers, Unlisted } from '../shared/http/answers.decorator.js';
import { Open } from '../shared/http/route.decorators.js';
import { freeForm, text } from '../shared/http/schema.js';
import { Description } from './description.js';
import { CONTENT_SECURITY_POLICY, printGuidePage, printPage } from './docs-page.js';
import { GuidePages } from './guide-pages.js';
import { ViewerFiles } from './viewer-files.js';

const FOLDER = '/docs/';
const GUIDE = 'use/';
const PAGE_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-cache',
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
};
/** An address with a version always has the same content. */
const FOR_GOOD = 'public, max-age=31536000, immutable';

/**
 * The application's description of itself: at the root, where people look, and below the base path, where clients look.
 */
@Open()
@Controller()
export class DescriptionController {
  constructor(
    private readonly description: Description,
    private readonly files: ViewerFiles,
    private readonly guide: GuidePages,
    private readonly environment: Environment,
  ) {}

  @Get('/')
  @Redirect('/docs', HttpStatus.FOUND)
  @Header('Vary', 'Accept')
  @Unlisted()
  root(@Req() { headers }: Request): { url: string } {
    const isBrowser = headers.accept?.includes('text/html') ?? false;
    return { url: isBrowser && this.environment.console === 'on' ? '/console' : '/docs' };
  }

  @Get(['openapi.json', 'api/v1/openapi.json'])
  @Header('Content-Type', 'application/json; charset=utf-8')
  @Header('Cache-Control', 'no-cache')
  @Answers(freeForm(), { summary: 'Show this description' })
  document(): Promise<string> {
    return this.description.document();
  }

  @Get(['docs', 'api/v1/docs'])
  @Answers(text(), { summary: 'Show this description as a page', contentType: 'text/html' })
  async page(@Req() request: Request, @Res({ passthrough: true }) response: Response): Promise<string> {
    response.set(PAGE_HEADERS);
    return printPage(await this.files.versions(), request.path.endsWith('/') ? '../' : '');
  }

  /** Browsers request it by themselves, after replies that are no page. */
  @Get('favicon.ico')
  @Header('Cache-Control', 'max-age=86400')
  @Unlisted()
  async icon(@Res({ passthrough: true }) response: Response): Promise<string> {
    const { contentType, text: picture } = await this.files.find('icon.svg')!;
    response.set('Content-Type', contentType);
    return picture;
  }

  /** One route for all that stands beside the page: each further one would cost every request a comparison. */
  @Get(['docs/*path', 'api/v1/docs/*path'])
  @Header('X-Content-Type-Options', 'nosniff')
  @Unlisted()
  file(@Req() request: Request, @Res({ passthrough: true }) response: Response): Promise<string> {
    // As it was sent: no other spelling of a name is one.
    const name = request.path.slice(request.path.indexOf(FOLDER) + FOLDER.length);
    return name.startsWith(GUIDE)
      ? this.guidePage(name.slice(GUIDE.length), response)
      : this.viewerFile(name, request.query['v'], response);
  }

  private async guidePage(name: string, response: Response): Promise<string> {
    const guide = await this.guide.all();
    const page = guide.get(name);
    if (!page) throw new GatewayError('not-found', 'The guide has no such page.');
    response.set(PAGE_HEADERS);
    return printGuidePage(page, guide, await this.files.versions());
  }

  private async viewerFile(name: string, version: unknown, response: Response): Promise<string> {
    const file = await this.files.find(name);
    if (!file) throw new GatewayError('not-found', 'The page has no such file.');
    response.set({
      'Content-Type': file.contentType,
      'Cache-Control': version === file.version ? FOR_GOOD : 'no-cache',
      ETag: `"${file.version}"`,
    });
    return file.text;
  }
}
