import { Controller, Get, Header, HttpStatus, Redirect, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { GatewayError } from '../core/errors.js';
import { Answers, Unlisted } from '../shared/http/answers.decorator.js';
import { Open } from '../shared/http/route.decorators.js';
import { freeForm, text } from '../shared/http/schema.js';
import { Description } from './description.js';
import { CONTENT_SECURITY_POLICY, printPage } from './docs-page.js';
import { ViewerFiles } from './viewer-files.js';

/** Whoever has the version in the address has that very text. */
const FOR_GOOD = 'public, max-age=31536000, immutable';

/**
 * What the application says of itself: at the root, where people look, and below the base path, where its clients are.
 */
@Open()
@Controller()
export class DescriptionController {
  constructor(
    private readonly description: Description,
    private readonly files: ViewerFiles,
  ) {}

  @Get('/')
  @Redirect('/docs', HttpStatus.FOUND)
  @Unlisted()
  root(): void {}

  @Get(['openapi.json', 'api/v1/openapi.json'])
  @Header('Content-Type', 'application/json; charset=utf-8')
  @Header('Cache-Control', 'no-cache')
  @Answers(freeForm(), { summary: 'Show this description' })
  document(): Promise<string> {
    return this.description.document();
  }

  @Get(['docs', 'api/v1/docs'])
  @Header('Content-Type', 'text/html; charset=utf-8')
  @Header('Cache-Control', 'no-cache')
  @Header('Content-Security-Policy', CONTENT_SECURITY_POLICY)
  @Header('X-Content-Type-Options', 'nosniff')
  @Header('Referrer-Policy', 'no-referrer')
  @Answers(text(), { summary: 'Show this description as a page', contentType: 'text/html' })
  async page(@Req() request: Request): Promise<string> {
    return printPage(await this.files.versions(), request.path.endsWith('/') ? '../' : '');
  }

  /** What browsers look for by themselves, beside a reply that is no page. */
  @Get('favicon.ico')
  @Header('Cache-Control', 'max-age=86400')
  @Unlisted()
  async icon(@Res({ passthrough: true }) response: Response): Promise<string> {
    const { contentType, text: picture } = await this.files.find('icon.svg')!;
    response.set('Content-Type', contentType);
    return picture;
  }

  @Get(['docs/:file', 'api/v1/docs/:file'])
  @Header('X-Content-Type-Options', 'nosniff')
  @Unlisted()
  async file(@Req() request: Request, @Res({ passthrough: true }) response: Response): Promise<string> {
    const file = await this.files.find(request.params['file'] as string);
    if (!file) throw new GatewayError('not-found', 'The page has no such file.');
    response.set({
      'Content-Type': file.contentType,
      'Cache-Control': request.query['v'] === file.version ? FOR_GOOD : 'no-cache',
      ETag: `"${file.version}"`,
    });
    return file.text;
  }
}
