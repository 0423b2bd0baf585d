import { Fits } from '../../shared/http/fits.decorator.js';
import { MayOmit } from '../../shared/http/may-omit.decorator.js';
import { compile, oneOf } from '../../shared/http/schema.js';
import { ENTRY_KINDS, type EntryKind } from './credit-entries.repository.js';
import { ListQueryDto } from '../list-query.dto.js';

const kind = compile(oneOf(ENTRY_KINDS));

/** Query of `GET /credits/entries` (docs/operate/keys.md#entries). */
export class ListEntriesDto extends ListQueryDto {
  @MayOmit()
  @Fits(kind)
  kind?: EntryKind;
}
