import { Controller, Delete, Get, HttpCode, Param, Patch, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { toAbortSignal } from '../core/cancellation.js';
import type { Caller } from '../core/caller.js';
import { abortWhenGone } from '../shared/http/server/abort-when-gone.js';
import { Answers } from '../shared/http/answers.decorator.js';
import { FromBody, FromQuery } from '../shared/http/parameter-types.js';
import { ListReplies } from '../shared/http/list-replies.js';
import { deleted, single, part } from '../shared/http/reply-schemas.js';
import { Accepts, FromCaller } from '../shared/http/route.decorators.js';
import { EXPORT_TYPES } from '../shared/http/row-export.js';
import {
  CreateDestinationDto,
  ListDestinationsDto,
  readTerms,
  RotateSecretDto,
  UpdateDestinationDto,
} from './destination-bodies.dto.js';
import { DestinationTest } from './destination-test.js';
import {
  destinationTestView,
  destinationView,
  viewDestination,
  type DestinationTestView,
  type DestinationView,
} from './destination-view.js';
import { DestinationsService, type MadeDestination } from './destinations.service.js';

/** Administration of destinations (docs/operate/alarms.md#destinations). */
@Controller('observability/destinations')
@Accepts('management')
export class DestinationsController {
  constructor(
    private readonly destinations: DestinationsService,
    private readonly destinationTest: DestinationTest,
    private readonly replies: ListReplies,
  ) {}

  @Post()
  @Answers(single(destinationView), {
    summary: 'Create a destination',
    description:
      'Without `config.secret` a webhook gets a generated secret, which is shown only in this reply. At most five of one type in a workspace.',
    errors: ['not-found', 'conflict'],
    examples: {
      webhook: { name: 'On call', type: 'webhook', config: { url: 'https://alarms.example.com/fairlead' } },
      collector: {
        name: 'Traces',
        type: 'otel-collector',
        config: { endpoint: 'https://otel.example.com/v1/traces', headers: { authorization: 'Bearer an-example' } },
        sampling_rate: 0.1,
      },
    },
  })
  async create(
    @FromCaller() caller: Caller,
    @FromBody() body: CreateDestinationDto,
  ): Promise<{ data: DestinationView }> {
    const terms = { ...readTerms(body), name: body.name };
    return view(await this.destinations.create(caller, body.type, body.config, terms, body.workspace_id));
  }

  @Get()
  @Answers(part(destinationView), {
    summary: 'List destinations',
    description: '`format` sends all of them instead.',
    alsoAs: Object.values(EXPORT_TYPES),
    errors: ['not-found'],
  })
  async list(
    @FromCaller() { accountId }: Caller,
    @FromQuery() query: ListDestinationsDto,
    @Res() response: Response,
  ): Promise<void> {
    const { workspace_id: workspace, type } = query;
    await this.replies.sendPart(response, query, {
      accountId,
      view: destinationView,
      read: async (page) => {
        const [rows, total, last] = await this.destinations.list(accountId, page, { workspace, type });
        return [rows.map((row) => viewDestination(row)), total, last];
      },
    });
  }

  @Get(':id')
  @Answers(single(destinationView), { summary: 'Show a destination' })
  async show(@FromCaller() { accountId }: Caller, @Param('id') id: string): Promise<{ data: DestinationView }> {
    return { data: viewDestination(await this.destinations.get(accountId, id)) };
  }

  @Patch(':id')
  @Answers(single(destinationView), {
    summary: 'Change a destination',
    description:
      'Absent fields stay as they are, null clears. Fields of `config` that are absent, or sent as they are shown, stay. `enabled: true` resumes one that was switched off.',
    examples: { again: { enabled: true } },
  })
  async update(
    @FromCaller() caller: Caller,
    @Param('id') id: string,
    @FromBody() body: UpdateDestinationDto,
  ): Promise<{ data: DestinationView }> {
    return { data: viewDestination(await this.destinations.update(caller, id, body.config, readTerms(body))) };
  }

  @Post(':id/rotate')
  @HttpCode(200)
  @Answers(single(destinationView), {
    summary: 'Give a webhook a new secret',
    description: 'It is shown only in this reply. The previous secret also signs for `grace_seconds`.',
    examples: { day: { grace_seconds: 86_400 } },
  })
  async rotate(
    @FromCaller() caller: Caller,
    @Param('id') id: string,
    @FromBody() body: RotateSecretDto,
  ): Promise<{ data: DestinationView }> {
    return view(await this.destinations.rotate(caller, id, body.grace_seconds));
  }

  @Post(':id/test')
  @HttpCode(200)
  @Answers(single(destinationTestView), {
    summary: 'Send a test event to a destination',
    description: 'It is sent at once, also to a disabled destination, and is not retried.',
    errors: ['service-unavailable'],
  })
  async test(
    @FromCaller() { accountId }: Caller,
    @Param('id') id: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<{ data: DestinationTestView }> {
    const row = await this.destinations.get(accountId, id);
    return { data: await this.destinationTest.run(row, toAbortSignal(abortWhenGone(response))) };
  }

  @Delete(':id')
  @Answers(deleted, { summary: 'Delete a destination, with the deliveries that wait for it' })
  async remove(@FromCaller() caller: Caller, @Param('id') id: string): Promise<{ deleted: true }> {
    await this.destinations.delete(caller, id);
    return { deleted: true };
  }
}

const view = ({ row, secret }: MadeDestination): { data: DestinationView } => ({
  data: viewDestination(row, secret === undefined ? row.shown : { ...row.shown, secret }),
});
