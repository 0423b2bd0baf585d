import { shortText, workspaceReference } from '../shared/http/fields.js';
import { Fits } from '../shared/http/fits.decorator.js';
import { MayOmit } from '../shared/http/may-omit.decorator.js';
import { PageDto } from '../shared/http/page.dto.js';

/** Query of `GET /byok` (docs/operate/byok.md#the-interface). */
export class ListCredentialsDto extends PageDto {
  @MayOmit()
  @Fits(workspaceReference)
  workspace_id?: string;

  @MayOmit()
  @Fits(shortText)
  provider?: string;
}
