import { Controller, Delete, Get, HttpCode, Param, Patch, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import type { Caller } from '../core/caller.js';
import { Answers } from '../shared/http/answers.decorator.js';
import { FromBody, FromQuery } from '../shared/http/parameter-types.js';
import { ListReplies } from '../shared/http/list-replies.js';
import { deleted, single, part } from '../shared/http/reply-schemas.js';
import { Accepts, FromCaller } from '../shared/http/route.decorators.js';
import { EXPORT_TYPES } from '../shared/http/row-export.js';
import { object, rows, text } from '../shared/http/schema.js';
import { CreateAlarmDto, ListAlarmHistoryDto, ListAlarmsDto, readTerms, UpdateAlarmDto } from './alarm-bodies.dto.js';
import { alarmEventView, alarmView, viewAlarm, viewAlarmEvent, type AlarmView } from './alarm-view.js';
import type { Alarm } from './alarm.entity.js';
import { AlarmsService } from './alarms.service.js';
import { MissingSubjects } from './missing-subjects.js';

const sentTest = object({ event_id: text(), destination_ids: rows(text()) });

/** Administration of alarms (docs/operate/alarms.md#alarms). */
@Controller('alarms')
@Accepts('management')
export class AlarmsController {
  constructor(
    private readonly alarms: AlarmsService,
    private readonly missing: MissingSubjects,
    private readonly replies: ListReplies,
  ) {}

  @Post()
  @Answers(single(alarmView), {
    summary: 'Create an alarm',
    description:
      'It is evaluated several times a minute, and reports once for each window and percentage, or once for each episode.',
    errors: ['conflict'],
    examples: {
      limits: { name: 'Keys', on: { kind: 'limit', key: '*' }, percents: [80, 100], destination_ids: [] },
      balance: { name: 'Balance', on: { kind: 'balance', below_usd: 100 }, destination_ids: [] },
      outage: { name: 'Outages', on: { kind: 'outage' }, destination_ids: [] },
    },
  })
  async create(@FromCaller() caller: Caller, @FromBody() body: CreateAlarmDto): Promise<{ data: AlarmView }> {
    const terms = { ...readTerms(body), name: body.name, rule: body.on };
    return this.view(await this.alarms.create(caller, { ...terms, destinationIds: terms.destinationIds ?? [] }));
  }

  @Get()
  @Answers(part(alarmView), {
    summary: 'List alarms',
    description: '`format` sends all of them instead.',
    alsoAs: Object.values(EXPORT_TYPES),
  })
  async list(
    @FromCaller() { accountId }: Caller,
    @FromQuery() query: ListAlarmsDto,
    @Res() response: Response,
  ): Promise<void> {
    await this.replies.sendPart(response, query, {
      accountId,
      view: alarmView,
      read: async (page) => {
        const [alarms, total, last] = await this.alarms.list(accountId, page);
        const missing = await this.missing.of(accountId, alarms);
        return [alarms.map((alarm) => viewAlarm(alarm, missing.get(alarm.id))), total, last];
      },
    });
  }

  // Precedes the route of an id.
  @Get('history')
  @Answers(part(alarmEventView), {
    summary: 'List what alarms have reported, and how it was delivered',
    description:
      'Newest first, of the last 30 days, also of alarms that are deleted. `format` sends all of them instead of a page.',
    alsoAs: Object.values(EXPORT_TYPES),
  })
  async history(
    @FromCaller() { accountId }: Caller,
    @FromQuery() query: ListAlarmHistoryDto,
    @Res() response: Response,
  ): Promise<void> {
    await this.replies.sendPart(response, query, {
      accountId,
      view: alarmEventView,
      read: async (page) => {
        const [events, total, last] = await this.alarms.history(accountId, query.alarm_id, page);
        return [events.map(viewAlarmEvent), total, last];
      },
    });
  }

  @Get(':id')
  @Answers(single(alarmView), { summary: 'Show an alarm' })
  async show(@FromCaller() { accountId }: Caller, @Param('id') id: string): Promise<{ data: AlarmView }> {
    return this.view(await this.alarms.get(accountId, id));
  }

  @Patch(':id')
  @Answers(single(alarmView), {
    summary: 'Change an alarm',
    description: 'Absent fields stay as they are. A changed `on` resets its state.',
    examples: { percents: { percents: [50, 90] } },
  })
  async update(
    @FromCaller() caller: Caller,
    @Param('id') id: string,
    @FromBody() body: UpdateAlarmDto,
  ): Promise<{ data: AlarmView }> {
    return this.view(await this.alarms.update(caller, id, readTerms(body)));
  }

  @Post(':id/test')
  @HttpCode(200)
  @Answers(single(sentTest), {
    summary: 'Send a test event to the destinations of an alarm',
    description: 'It is sent like a report. `GET /alarms/history` shows how it was delivered.',
  })
  async test(
    @FromCaller() caller: Caller,
    @Param('id') id: string,
  ): Promise<{ data: { event_id: string; destination_ids: readonly string[] } }> {
    const { eventId, destinationIds } = await this.alarms.test(caller, id);
    return { data: { event_id: eventId, destination_ids: destinationIds } };
  }

  @Delete(':id')
  @Answers(deleted, { summary: 'Delete an alarm' })
  async remove(@FromCaller() caller: Caller, @Param('id') id: string): Promise<{ deleted: true }> {
    await this.alarms.delete(caller, id);
    return { deleted: true };
  }

  private async view(alarm: Alarm): Promise<{ data: AlarmView }> {
    const missing = await this.missing.of(alarm.accountId, [alarm]);
    return { data: viewAlarm(alarm, missing.get(alarm.id)) };
  }
}
