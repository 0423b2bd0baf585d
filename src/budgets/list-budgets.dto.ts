import { SUBJECT_SCOPES, type SubjectScope } from '../accounts/budget-subjects.js';
import { STORABLE } from '../shared/http/field-patterns.js';
import { Fits } from '../shared/http/fits.decorator.js';
import { MayOmit } from '../shared/http/may-omit.decorator.js';
import { PageDto } from '../shared/http/page.dto.js';
import { compile, oneOf, text } from '../shared/http/schema.js';

const scope = compile(oneOf(SUBJECT_SCOPES));
const id = compile(text({ min: 1, max: 16_384, ...STORABLE }));

/** Query of `GET /budgets`. */
export class ListBudgetsDto extends PageDto {
  @MayOmit()
  @Fits(scope)
  scope?: SubjectScope;

  @MayOmit()
  @Fits(id)
  id?: string;
}
