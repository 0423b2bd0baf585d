import { Closed } from '../shared/http/closed.decorator.js';
import { ExportedPageDto } from '../shared/http/exported-page.dto.js';
import { shortText, uuid, yesOrNo } from '../shared/http/shared-fields.js';
import { Fits } from '../shared/http/fits.decorator.js';
import { MayOmit } from '../shared/http/may-omit.decorator.js';
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

  /** Whether the alarm also reports that a monthly limit will be reached before the end of the month. */
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
export class ListAlarmsDto extends ExportedPageDto {}

/** Query of `GET /alarms/history`. */
export class ListAlarmHistoryDto extends ExportedPageDto {
  @MayOmit()
  @Fits(uuid)
  alarm_id?: string;
}

/** The terms that a valid body sets. */
export function readTerms(body: CreateAlarmDto | UpdateAlarmDto): Partial<AlarmTerms> {
  const terms: { [Key in keyof AlarmTerms]: AlarmTerms[Key] | undefined } = {
    name: body.name,
    enabled: body.enabled,
    rule: body.on,
    percents: body.percents && [...new Set(body.percents)].toSorted((one, other) => one - other),
    forecast: body.forecast,
    destinationIds: body.destination_ids && [...new Set(body.destination_ids)].toSorted(),
  };
  return Object.fromEntries(Object.entries(terms).filter(([, value]) => value !== undefined));
}
