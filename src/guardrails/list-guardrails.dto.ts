import { ExportedPageDto } from '../shared/http/exported-page.dto.js';
import { workspaceReference } from '../shared/http/shared-fields.js';
import { Fits } from '../shared/http/fits.decorator.js';
import { MayOmit } from '../shared/http/may-omit.decorator.js';

/** Query of `GET /guardrails`. */
export class ListGuardrailsDto extends ExportedPageDto {
  @MayOmit()
  @Fits(workspaceReference)
  workspace_id?: string;
}
