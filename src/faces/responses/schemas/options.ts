import { neutralOnly, nullable, object, oneOf, optional, variant, type Static } from '../../../shared/http/schema.js';
import { modelText, optionList } from '../../../shared/http/maxima.js';
import { effort, jsonSchemaFields, reasoningFields, verbosity } from '../../common/schemas/options.js';

/* Fields that only the responses format has (docs/use/responses.md#request-fields). */

const format = variant('type', {
  text: {},
  json_object: {},
  json_schema: jsonSchemaFields,
  grammar: { definition: optional(modelText()) },
});

export const textOptions = object({
  format: optional(nullable(format)),
  verbosity: optional(nullable(verbosity)),
});

export const reasoning = object({
  ...reasoningFields,
  generate_summary: optional(nullable(oneOf(['auto', 'concise', 'detailed']))),
  context: optional(nullable(oneOf(['auto', 'all_turns', 'current_turn']))),
  mode: optional(nullable(oneOf(['standard', 'pro']))),
});

/** The effort from a point of the conversation on. */
export const reasoningChange = object({ effort: optional(nullable(effort)) });

export const REASONING_PROOF = 'reasoning.encrypted_content';
export const LOGPROBS = 'message.output_text.logprobs';

export const include = optionList(
  oneOf([
    REASONING_PROOF,
    LOGPROBS,
    'file_search_call.results',
    'web_search_call.results',
    'web_search_call.action.sources',
    'message.input_image.image_url',
    'computer_call_output.output.image_url',
    'code_interpreter_call.outputs',
  ]),
);

export const truncation = oneOf(['auto', 'disabled']);

const never = (reason: string) => neutralOnly({ enum: [false, null] } as never, reason);
const absent = (reason: string) => neutralOnly({ enum: [null] } as never, reason);

export const store = never('must be false: the gateway keeps no responses; send the whole conversation in input');
export const background = never('must be false: the gateway answers at once; send stream for long answers');
export const previousResponse = absent(
  'must be null: the gateway keeps no responses; send the whole conversation in input',
);
export const conversation = absent('is not supported: the gateway keeps no conversations; send all of it in input');
export const storedPrompt = absent('is not supported: the gateway keeps no prompts; send their text in input');
export const chatMessages = absent('belongs to other formats; send input');

export type WireText = Static<typeof textOptions>;
