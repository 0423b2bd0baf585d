import { SUBJECT_SCOPES, type SubjectScope } from '../accounts/budget-subjects.js';
import { ExportedPageDto } from '../shared/http/exported-page.dto.js';
import { STORABLE } from '../shared/http/field-patterns.js';
import { Fits } from '../shared/http/fits.decorator.js';
import { MayOmit } from '../shared/http/may-omit.decorator.js';
import { compile, oneOf, text } from '../shared/http/schema.js';

const scope = compile(oneOf(SUBJECT_SCOPES));
const id = compile(text({ min: 1, max: 16_384, ...STORABLE }));

/** Query of `GET /budgets`. */
export class ListBudgetsDto extends ExportedPageDto {
  @MayOmit()
  @Fits(scope)
  scope?: SubjectScope;

  @MayOmit()
  @Fits(id)
  id?: string;
}
