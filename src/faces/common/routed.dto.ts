import { id, modelNames } from '../../shared/http/maxima.js';
import { compile, type Static } from '../../shared/http/schema.js';
import { May } from './may.decorator.js';
import { label, trace } from './schemas/options.js';
import { provider } from './schemas/routing.js';

/**
 * Fields of OpenAI's formats and of tasks: the routing of a request, and the grouping of its record. As in the other
 * base classes they are only declared: a definition would run one more function for each class at each request.
 */
export abstract class RoutedDto {
  @May(compile(modelNames()))
  declare models?: string[] | null;

  @May(compile(provider))
  declare provider?: Static<typeof provider>;

  @May(compile(id()))
  declare user?: string | null;

  @May(compile(label))
  declare session_id?: string | null;

  @May(compile(trace))
  declare trace?: Static<typeof trace> | null;
}
