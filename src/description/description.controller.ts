import { Controller, Get, Header, HttpStatus, Redirect, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { GatewayError } from '../core/errors.js';
import { BASE_PATH } from '../shared/http/base-path.js';
import { Environment } from '../shared/environment.js';
import { Answers, Unlisted } from '../shared/http/answers.decorator.js';
import { fileHeaders, PAGE_HEADERS } from '../shared/http/page-files.js';
import { Open } from '../shared/http/route.decorators.js';
import { freeForm, text } from '../shared/http/schema.js';
import { Description } from './description.js';
import { DocsFiles, DocsPages } from './docs/docs-pages.js';

const FOLDER = '/docs';
const ASSETS = 'assets/';
const SEARCH = 'search.json';
const JSON_HEADERS = { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-cache' };

/**
 * The application's description of itself: at the root, where people look, and below the base path, where clients look.
 */
@Open()
@Controller()
export class DescriptionController {
  constructor(
    private readonly description: Description,
    private readonly files: DocsFiles,
    private readonly pages: DocsPages,
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
  page(@Req() request: Request, @Res({ passthrough: true }) response: Response): Promise<string> {
    return this.print('', request, response);
  }

  /** Browsers request it by themselves, after replies that are no page. */
  @Get('favicon.ico')
  @Header('Cache-Control', 'max-age=86400')
  @Unlisted()
  async icon(@Res({ passthrough: true }) response: Response): Promise<string> {
    const { contentType, text: picture } = (await this.files.find((await this.files.parts()).icon))!;
    response.set('Content-Type', contentType);
    return picture;
  }

  /** One route for all files below the page: each further one would cost every request a comparison. */
  @Get(['docs/*path', 'api/v1/docs/*path'])
  @Header('X-Content-Type-Options', 'nosniff')
  @Unlisted()
  async below(@Req() request: Request, @Res({ passthrough: true }) response: Response): Promise<string> {
    // The path is not decoded, so that each file has exactly one address.
    const name = request.path.slice(request.path.indexOf(FOLDER) + FOLDER.length + 1);
    if (name === SEARCH) {
      response.set(JSON_HEADERS);
      return this.pages.search();
    }
    return name.startsWith(ASSETS)
      ? this.file(name.slice(ASSETS.length), response)
      : this.print(name, request, response);
  }

  private async file(name: string, response: Response): Promise<string> {
    const file = await this.files.find(name);
    if (!file) throw new GatewayError('not-found', 'The pages have no such file.');
    response.set(fileHeaders(name, file));
    return file.text;
  }

  private async print(name: string, { path }: Request, response: Response): Promise<string> {
    // The folder of `/docs` itself is a sibling.
    const beside = path.endsWith(FOLDER) ? 'docs/' : '../'.repeat(name.split('/').length - 1) || './';
    const page = await this.pages.print(name, beside, path.startsWith(BASE_PATH));
    if (page === undefined) throw new GatewayError('not-found', 'The documentation has no such page.');
    response.set(PAGE_HEADERS);
    return page;
  }
}
