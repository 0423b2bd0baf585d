// The description of an operation follows from its route alone; the routes are those of test controllers.
import { Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import { Answers, Unlisted } from '../shared/http/answers.decorator.js';
import { Fits } from '../shared/http/fits.decorator.js';
import { MayOmit } from '../shared/http/may-omit.decorator.js';
import { FromBody, FromQuery } from '../shared/http/parameter-types.js';
import { Accepts, Open } from '../shared/http/route.decorators.js';
import { compile, object, text } from '../shared/http/schema.js';
import { buildDocument } from './build-document.js';
import { collectRoutes } from './collect-routes.js';

class ThingDto {
  @Fits(compile(text({ max: 9 })))
  name!: string;
}

class PageDto {
  @MayOmit()
  @Fits(compile(text({ pattern: '^[0-9]$', reason: 'must be a digit' })))
  offset?: string;
}

const reply = object({ data: text() });

@Controller('keys')
@Accepts('management')
class ThingsController {
  @Post()
  @Answers(reply, { summary: 'Make a thing', examples: { minimal: { name: 'x' } }, errors: ['conflict'] })
  create(@FromBody() body: ThingDto): { data: string } {
    return { data: body.name };
  }

  @Get()
  @Answers(reply, { summary: 'List things', reads: { 'X-Mood': 'How it is told.' } })
  list(@FromQuery() query: PageDto): { data: string } {
    return { data: query.offset ?? '' };
  }

  @Delete(':id')
  @HttpCode(202)
  @Answers(reply, { summary: 'Delete a thing' })
  remove(@Param('id') id: string): { data: string } {
    return { data: id };
  }

  /** A route for browsers. */
  @Get('icon')
  @Unlisted()
  icon(): string {
    return '';
  }

  /** Not a route. */
  helper(): void {}
}

@Controller('metrics')
@Open()
class OpenController {
  @Get()
  @Answers(text(), { summary: 'Show', contentType: 'text/plain' })
  show(): string {
    return '';
  }
}

@Controller('keys')
class SilentController {
  @Get()
  show(): string {
    return '';
  }
}

@Controller('elsewhere')
class StrayController {
  @Get()
  @Answers(reply, { summary: 'Show' })
  show(): string {
    return '';
  }
}

describe('a document', () => {
  const document = JSON.parse(
    JSON.stringify(buildDocument(collectRoutes([OpenController, ThingsController]), '1.2.3')),
  );

  it('has the routes of the API by path and method, the chapters in their order', () => {
    const routes = Object.entries<object>(document.paths).map(([path, item]) => [path, ...Object.keys(item)]);
    expect(routes).toEqual([
      ['/keys', 'post', 'get'],
      ['/keys/{id}', 'delete'],
      ['/metrics', 'servers', 'get'],
    ]);
    expect(document.info.version).toBe('1.2.3');
  });

  it('describes a body, its examples and its possible errors', () => {
    const { operationId, requestBody, responses, security, description, ...more } = document.paths['/keys'].post;
    expect(more['x-key-kind']).toBe('management');
    expect([operationId, description]).toEqual(['thingsCreate', 'Takes a key of the kind `management`.']);
    expect(requestBody.content['application/json']).toEqual({
      schema: { $ref: '#/components/schemas/ThingBody' },
      examples: { minimal: { value: { name: 'x' } } },
    });
    expect(document.components.schemas.ThingBody).toEqual({
      type: 'object',
      required: ['name'],
      properties: { name: { type: 'string', maxLength: 9 } },
    });
    expect(Object.keys(responses)).toEqual(['201', '400', '401', '403', '408', '409', '413', '415', '429', '431', '503', 'default']);
    expect(security).toEqual([{ bearer: [] }, { apiKey: [] }]);
  }); // oxfmt-ignore

  it('describes parameters', () => {
    expect(document.paths['/keys'].get.parameters).toEqual([
      { name: 'offset', in: 'query', description: 'must be a digit', schema: { type: 'string', pattern: '^[0-9]$' } },
      { name: 'X-Mood', in: 'header', description: 'How it is told.', schema: { type: 'string' } },
    ]);
    const { parameters, responses } = document.paths['/keys/{id}'].delete;
    expect(parameters).toMatchObject([{ name: 'id', in: 'path', required: true }]);
    expect(Object.keys(responses)).toEqual(['202', '400', '401', '403', '404', '429', '431', '503', 'default']);
  });

  it('describes what is open, and where it is served', () => {
    const { get, servers } = document.paths['/metrics'];
    expect([get.security, servers]).toEqual([[], [{ url: '/' }]]);
    expect(get.responses['200'].content).toEqual({ 'text/plain': { schema: { type: 'string' } } });
  });

  it('refuses a route without a described answer, and one of no chapter', () => {
    expect(() => collectRoutes([SilentController])).toThrow('SilentController.show does not declare its reply');
    expect(() => buildDocument(collectRoutes([StrayController]), '1')).toThrow('/elsewhere is in no chapter');
  });
});
