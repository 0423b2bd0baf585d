import type { VectorEncoding } from '../../core/conversation/task.js';
import { Fits } from '../../shared/http/fits.decorator.js';
import { compile } from '../../shared/http/schema.js';
import { May } from '../common/may.decorator.js';
import { TaskDto } from '../common/task.dto.js';
import { dimensions, encodingFormat, input, inputType, type WireInput } from './schemas/request.js';

/** Body of `POST /embeddings` (docs/use/embeddings.md#request). Undeclared fields are sent to no provider. */
export class CreateEmbeddingsDto extends TaskDto {
  @Fits(compile(input))
  input!: WireInput;

  @May(compile(dimensions))
  dimensions?: number | null;

  @May(compile(encodingFormat))
  encoding_format?: VectorEncoding | null;

  @May(compile(inputType))
  input_type?: string | null;
}
