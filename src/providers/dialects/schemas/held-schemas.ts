import type { OutputFormat } from '../../../core/conversation/request.js';
import type { Tool } from '../../../core/conversation/tools.js';
import { printJson, type JsonObject } from '../../../core/json/json.js';
import type { Steps } from '../../../core/steps.js';
import { modelFamilyOf } from '../../model-rules/model-family.js';
import type { EncodeContext } from '../encode-context.js';
import { heldAnswer, currentFormat } from './fitted-schemas.js';
import { strictTools } from './strict-limits.js';

/**
 * The sent tools whose schemas the vendor enforces.
 * @param sent without `strict` where the table drops it
 */
export function* heldTools(sent: readonly Tool[], { request, target }: EncodeContext): Steps<ReadonlySet<Tool>> {
  if (modelFamilyOf(target) === 'claude') return yield* strictTools({ ...request, tools: sent });
  return new Set(sent.filter((tool) => tool.type === 'function' && tool.strict === true));
}

/** The form in which a target receives the schema of the answer. */
export interface AnswerForm {
  /** The model must follow it. */
  readonly schema?: JsonObject;
  /** Instructions with the schema, where the target takes schemas and has no form for this one. */
  readonly words?: string;
}

const NO_FORM: AnswerForm = {};
const LEAD =
  'Answer with JSON alone, without other words and without a code fence. The JSON must fit this JSON Schema:\n';

/** The form of an answer at a target that takes schemas closed and within bounds. */
export function* restrictedForm(format: OutputFormat): Steps<AnswerForm> {
  if (format.type !== 'json-schema') return NO_FORM;
  const held = yield* heldAnswer(format.schema);
  return held ? { schema: held.schema } : inWords(format.schema);
}

/**
 * The form of an answer at any other target.
 * @param takes whether it takes a schema
 */
export function* openForm(
  format: OutputFormat,
  takes: (schema: JsonObject) => boolean = () => true,
): Steps<AnswerForm> {
  const plain = yield* currentFormat(format);
  if (plain.type !== 'json-schema') return NO_FORM;
  return takes(plain.schema) ? { schema: plain.schema } : inWords(plain.schema);
}

const inWords = (schema: JsonObject): AnswerForm => ({ words: LEAD + printJson(schema) });
