import { Fits } from '../../shared/http/fits.decorator.js';
import { compile, type Static } from '../../shared/http/schema.js';
import { May } from '../common/may.decorator.js';
import { TaskDto } from '../common/task.dto.js';
import { documents, query, topN } from './schemas/request.js';

/** Body of `POST /rerank` (docs/use/embeddings.md#rerank). Undeclared fields are sent to no provider. */
export class CreateRerankDto extends TaskDto {
  @Fits(compile(query))
  query!: string;

  @Fits(compile(documents))
  documents!: Static<typeof documents>;

  @May(compile(topN))
  top_n?: number | null;
}
