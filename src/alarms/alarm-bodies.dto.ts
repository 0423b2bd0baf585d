import { Closed } from '../shared/http/closed.decorator.js';
import { shortText, uuid, yesOrNo } from '../shared/http/fields.js';
import { Fits } from '../shared/http/fits.decorator.js';
import { MayOmit } from '../shared/http/may-omit.decorator.js';
import { PageDto } from '../shared/http/page.dto.js';
import { alarmRule, destinationIds, percents, type AlarmRule } from './alarm-fields.js';
import type { AlarmTerms } from './alarm.entity.js';

/** The common fields of bodies (docs/operate/alarms.md#alarms): absent ones stay as they are. */
@Closed()
abstract class AlarmTermsDto {
  @MayOmit()
  @Fits(yesOrNo)
  enabled?: boolean;

  /** Shares of a limit or budget. */
  @MayOmit()
  @Fits(percents)
  percents?: number[];

  /** Whether it also reports a limit of a month that will be reached before its end. */
  @MayOmit()
  @Fits(yesOrNo)
  forecast?: boolean;
}

/** Body of `POST /alarms`. */
export class CreateAlarmDto extends AlarmTermsDto {
  @Fits(shortText)
  name!: string;

  @Fits(alarmRule)
  on!: AlarmRule;

  @Fits(destinationIds)
  destination_ids!: string[];
}

/** Body of `PATCH /alarms/{id}`. */
export class UpdateAlarmDto extends AlarmTermsDto {
  @MayOmit()
  @Fits(shortText)
  name?: string;

  @MayOmit()
  @Fits(alarmRule)
  on?: AlarmRule;

  @MayOmit()
  @Fits(destinationIds)
  destination_ids?: string[];
}

/** Query of `GET /alarms`. */
export class ListAlarmsDto extends PageDto {}

/** Query of `GET /alarms/history`. */
export class ListAlarmHistoryDto extends PageDto {
  @MayOmit()
  @Fits(uuid)
  alarm_id?: string;
}

/** The terms that a valid body sets. */
export function readTerms(body: CreateAlarmDto | UpdateAlarmDto): Partial<AlarmTerms> {
  const given: { [Key in keyof AlarmTerms]: AlarmTerms[Key] | undefined } = {
    name: body.name,
    enabled: body.enabled,
    rule: body.on,
    percents: body.percents && [...new Set(body.percents)].toSorted((one, other) => one - other),
    forecast: body.forecast,
    destinationIds: body.destination_ids && [...new Set(body.destination_ids)].toSorted(),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}
