import { shortText, workspaceReference } from '../shared/http/shared-fields.js';
import { Fits } from '../shared/http/fits.decorator.js';
import { MayOmit } from '../shared/http/may-omit.decorator.js';
import { ExportedPageDto } from '../shared/http/exported-page.dto.js';

/** Query of `GET /byok` (docs/operate/byok.md#the-interface). */
export class ListCredentialsDto extends ExportedPageDto {
  @MayOmit()
  @Fits(workspaceReference)
  workspace_id?: string;

  @MayOmit()
  @Fits(shortText)
  provider?: string;
}
