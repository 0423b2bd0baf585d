import { workspaceReference } from '../shared/http/fields.js';
import { Fits } from '../shared/http/fits.decorator.js';
import { MayOmit } from '../shared/http/may-omit.decorator.js';
import { PageDto } from '../shared/http/page.dto.js';

/** Query of `GET /guardrails`. */
export class ListGuardrailsDto extends PageDto {
  @MayOmit()
  @Fits(workspaceReference)
  workspace_id?: string;
}
