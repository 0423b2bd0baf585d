import { name } from '../../shared/http/maxima.js';
import { Fits } from '../../shared/http/fits.decorator.js';
import { compile } from '../../shared/http/schema.js';
import { May } from './may.decorator.js';
import { RoutedDto } from './routed.dto.js';
import { noPreset } from './schemas/options.js';

/** Fields of every body with a task (docs/use/embeddings.md#request). */
export abstract class TaskDto extends RoutedDto {
  @Fits(compile(name()))
  declare model: string;

  @May(compile(noPreset))
  declare preset?: null;
}
