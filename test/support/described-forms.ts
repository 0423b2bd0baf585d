import type { ApiDescription, DescribedOperation } from './description.js';
import { Leaves, type Leaf } from './field-leaves.js';
import type { JsonBody } from './recorded-request.js';

/** One body for each form that an operation accepts, with its query. */
export interface Form {
  readonly query: string;
  readonly schema: JsonBody;
  /** Valid, and accepted. */
  readonly base: JsonBody;
}

const ask = (model: string): JsonBody => ({ model, max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] });

/**
 * The forms of a gateway's operations, by its description. The suite that sends the bodies has `test/chat`,
 * `test/native` and `test/both` in the catalog: each face is called with the model whose upstream uses the other
 * format.
 */
export class DescribedForms {
  constructor(private readonly description: ApiDescription) {}

  described({ path, method }: DescribedOperation): JsonBody {
    return this.description.document.paths[path][method.toLowerCase()];
  }

  /** Only management keys may call it. */
  isOfManagement(operation: DescribedOperation): boolean {
    return (this.described(operation).description ?? '').includes('`management`');
  }

  /** For an operation with a body. */
  formsOf(operation: DescribedOperation): readonly Form[] {
    const { schema } = this.described(operation).requestBody.content['application/json'];
    const [example = {}] = Object.values<JsonBody>(operation.examples);
    switch (operation.path) {
      case '/messages':
        return [{ query: '', schema, base: ask('test/chat') }];
      case '/messages/count_tokens':
      case '/chat/completions':
        return [{ query: '', schema, base: ask('test/native') }];
      case '/routing/explain':
        return ['messages', 'chat', 'responses'].map((format, index) => ({
          query: `?format=${format}`,
          schema: schema.anyOf[index],
          base: format === 'responses' ? { model: 'test/both', input: 'hi' } : ask('test/both'),
        }));
      default:
        return [{ query: '', schema, base: example }];
    }
  }

  /** Every leaf of one form. */
  leavesOf({ schema, base }: Form): readonly Leaf[] {
    return new Leaves(this.description.document).of(schema, base);
  }

  /** Every parameter of the operation's query. */
  queryLeavesOf(operation: DescribedOperation): readonly Leaf[] {
    const parameters = (this.described(operation).parameters ?? []) as JsonBody[];
    return parameters.flatMap(({ name, in: where, schema }) =>
      where === 'query' ? new Leaves(this.description.document).ofParameter(name, schema) : [],
    );
  }
}
