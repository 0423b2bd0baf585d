import { Controller, Get, Header } from '@nestjs/common';
import { Answers } from '../shared/http/answers.decorator.js';
import { Open } from '../shared/http/route.decorators.js';
import { freeForm, text } from '../shared/http/schema.js';
import { Description } from './description.js';
import { CONTENT_SECURITY_POLICY } from './docs-page.js';

/**
 * What the application says of itself: at the root, where people look, and below the base path, where its clients are.
 */
@Open()
@Controller()
export class DescriptionController {
  constructor(private readonly description: Description) {}

  @Get(['openapi.json', 'api/v1/openapi.json'])
  @Header('Content-Type', 'application/json; charset=utf-8')
  @Header('Cache-Control', 'no-cache')
  @Answers(freeForm(), { summary: 'Show this description' })
  document(): string {
    return this.description.document();
  }

  @Get(['docs', 'api/v1/docs'])
  @Header('Content-Type', 'text/html; charset=utf-8')
  @Header('Cache-Control', 'no-cache')
  @Header('Content-Security-Policy', CONTENT_SECURITY_POLICY)
  @Header('X-Content-Type-Options', 'nosniff')
  @Header('Referrer-Policy', 'no-referrer')
  @Answers(text(), { summary: 'Show this description as a page', contentType: 'text/html' })
  page(): string {
    return this.description.html();
  }
}
