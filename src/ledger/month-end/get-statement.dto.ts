import { Fits } from '../../shared/http/fits.decorator.js';
import { MayOmit } from '../../shared/http/may-omit.decorator.js';
import { compile, oneOf } from '../../shared/http/schema.js';

const format = compile(oneOf(['json', 'csv']));

/** Query of `GET /statements/{month}` (docs/operate/month-end.md#statements). */
export class GetStatementDto {
  @MayOmit()
  @Fits(format)
  format: 'json' | 'csv' = 'json';
}
