import { PageDto } from './page.dto.js';
import { QueryExport } from './query-validators.js';
import type { ExportFormat } from './row-export.js';

/** Query of a list that is also sent as a whole, which has no pages. */
export class ExportedPageDto extends PageDto {
  @QueryExport()
  format?: ExportFormat;
}
