// Every field of every item of `input`, and of its parts, is validated exactly: absent, null, of each wrong type, at
// its bound and past it, for messages with their type and without. A table of the fields of one valid body, which a
// test compares with the body, so that no field is left out.
import 'reflect-metadata';
import {
  ANY,
  field,
  LIST,
  NAME,
  OBJECT,
  one,
  tag,
  TEXT,
  thing,
  undescribed,
  verdictsOn,
  WORD,
  type Field,
  type Kind,
  type Subject,
} from '../../../../test/support/field-cases.js';
import { readBody } from '../../../shared/http/dto.pipe.js';
import { CreateResponseDto } from '../create-response.dto.js';

const ID: Kind = { type: 'string', max: 16_384 };
const PARTS_MAX = 20_000;
const COMMANDS_MAX = 1_000;
const MESSAGE_PARTS = ['input_text', 'input_image', 'input_file', 'input_audio', 'input_video', 'output_text', 'refusal']; // oxfmt-ignore
const OUTPUT_PARTS = ['input_text', 'input_image', 'input_file'];
const ITEM_TYPES = [
  'message',
  'function_call',
  'function_call_output',
  'custom_tool_call',
  'custom_tool_call_output',
  'shell_call',
  'shell_call_output',
  'local_shell_call',
  'local_shell_call_output',
  'apply_patch_call',
  'apply_patch_call_output',
  'reasoning',
  'image_generation_call',
  'additional_tools',
  'configuration_update',
  'item_reference',
  'agent_message',
];

const STATED = { id: 'i', status: 'completed', created_by: 'x' };
const CACHED = { prompt_cache_breakpoint: null };
const TEXT_PART = { type: 'input_text', text: 'a', ...CACHED };
const IMAGE_PART = { type: 'input_image', image_url: 'https://a.test/a.png', file_id: null, detail: 'auto', ...CACHED };
const FILE_PART = { type: 'input_file', file_data: 'x', file_id: null, file_url: null, filename: 'a.pdf', ...CACHED };
const OUTPUTS = [TEXT_PART, IMAGE_PART, FILE_PART];
const PARTS = [
  ...OUTPUTS,
  { type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } },
  { type: 'input_video', video_url: 'https://a.test/a.mp4' },
  { type: 'output_text', text: 'a', annotations: [], logprobs: [], ...CACHED },
  { type: 'refusal', refusal: 'no' },
];

const statedFields = (at: string): Field[] => [
  field(`${at}.id`, ID, '?'),
  field(`${at}.status`, WORD, '?'),
  field(`${at}.created_by`, ANY, '?'),
];
const typed = (at: string): Field => field(`${at}.type`, tag(...ITEM_TYPES), '!');
const textPart = (at: string, types: readonly string[]): Field[] => [
  field(`${at}.type`, tag(...types), '!'),
  field(`${at}.text`, TEXT, '!'),
  field(`${at}.prompt_cache_breakpoint`, ANY, '?'),
];
const outputParts = (at: string, types: readonly string[]): Field[] => [
  field(`${at}.0`, thing('an object'), '!'),
  ...textPart(`${at}.0`, types),
  field(`${at}.1.type`, tag(...types), '!'),
  field(`${at}.1.image_url`, TEXT, '?'),
  field(`${at}.1.file_id`, ID, '?'),
  field(`${at}.1.detail`, one('auto', 'low', 'high', 'original'), '?'),
  field(`${at}.1.prompt_cache_breakpoint`, ANY, '?'),
  field(`${at}.2.type`, tag(...types), '!'),
  field(`${at}.2.file_data`, TEXT, '?'),
  field(`${at}.2.file_id`, ID, '?'),
  field(`${at}.2.file_url`, TEXT, '?'),
  field(`${at}.2.filename`, NAME, '?'),
  field(`${at}.2.prompt_cache_breakpoint`, ANY, '?'),
];
const message = (at: string): Field[] => [
  field(`${at}.role`, one('user', 'assistant', 'system', 'developer'), '!'),
  field(`${at}.content`, { type: 'mixed', words: 'a string, an array or null', types: ['string', 'array'] }, '?'),
  ...outputParts(`${at}.content`, MESSAGE_PARTS),
  field(`${at}.content.3.type`, tag(...MESSAGE_PARTS), '!'),
  field(`${at}.content.3.input_audio`, thing('an object'), '!'),
  field(`${at}.content.3.input_audio.data`, TEXT, '!'),
  field(`${at}.content.3.input_audio.format`, WORD, '!'),
  field(`${at}.content.4.type`, tag(...MESSAGE_PARTS), '!'),
  field(`${at}.content.4.video_url`, TEXT, '!'),
  ...textPart(`${at}.content.5`, MESSAGE_PARTS),
  field(`${at}.content.5.annotations`, ANY, '?'),
  field(`${at}.content.5.logprobs`, ANY, '?'),
  field(`${at}.content.6.type`, tag(...MESSAGE_PARTS), '!'),
  field(`${at}.content.6.refusal`, TEXT, '!'),
  field(`${at}.phase`, WORD, '?'),
  ...statedFields(at),
];
const call =
  (content: 'arguments' | 'input') =>
  (at: string): Field[] => [
    typed(at),
    field(`${at}.call_id`, ID, '!'),
    field(`${at}.name`, NAME, '!'),
    field(`${at}.${content}`, TEXT, '!'),
    field(`${at}.namespace`, NAME, '?'),
    ...statedFields(at),
  ];
const output = (at: string): Field[] => [
  typed(at),
  field(`${at}.call_id`, ID, '!'),
  field(`${at}.output`, { type: 'mixed', words: 'a string or an array', types: ['string', 'array'] }, '!'),
  ...outputParts(`${at}.output`, OUTPUT_PARTS),
  ...statedFields(at),
];
const words = (at: string): Field[] => [
  field(at, { type: 'array', max: PARTS_MAX, filler: { type: 'summary_text', text: 'a' } }, '?'),
  field(`${at}.0`, thing('an object'), '!'),
  field(`${at}.0.type`, WORD, '!'),
  field(`${at}.0.text`, TEXT, '!'),
];
const commands = (at: string): Field[] => [
  field(at, { type: 'array', max: COMMANDS_MAX }, '!'),
  field(`${at}.0`, TEXT, '!'),
];

/** Items, each with its fields below the path `at`. */
const ITEMS: readonly (readonly [item: object, fieldsAt: (at: string) => Field[]])[] = [
  [
    { type: 'message', role: 'user', content: PARTS, phase: 'commentary', ...STATED },
    (at) => [typed(at), ...message(at)],
  ],
  [{ role: 'assistant', content: PARTS, phase: null, ...STATED }, message],
  [{ type: 'function_call', call_id: 'c', name: 'f', arguments: '{}', namespace: null, ...STATED }, call('arguments')],
  [{ type: 'function_call_output', call_id: 'c', output: OUTPUTS, ...STATED }, output],
  [{ type: 'custom_tool_call', call_id: 'c', name: 'f', input: '', namespace: 'n', ...STATED }, call('input')],
  [{ type: 'custom_tool_call_output', call_id: 'c', output: OUTPUTS, ...STATED }, output],
  [
    {
      type: 'shell_call',
      call_id: 'c',
      action: { commands: ['ls'], timeout_ms: null, max_output_length: 5 },
      arguments: '',
      environment: null,
      ...STATED,
    },
    (at) => [
      typed(at),
      field(`${at}.call_id`, ID, '!'),
      field(`${at}.action`, thing('an object'), '!'),
      ...commands(`${at}.action.commands`),
      field(`${at}.action.timeout_ms`, ANY, '?'),
      field(`${at}.action.max_output_length`, ANY, '?'),
      field(`${at}.arguments`, ANY, '?'),
      field(`${at}.environment`, ANY, '?'),
      ...statedFields(at),
    ],
  ],
  [
    {
      type: 'shell_call_output',
      call_id: 'c',
      output: [{ stdout: 'a', stderr: '' }],
      max_output_length: null,
      ...STATED,
    },
    (at) => [
      typed(at),
      field(`${at}.call_id`, ID, '!'),
      field(`${at}.output`, { type: 'array', max: PARTS_MAX, filler: {} }, '!'),
      field(`${at}.output.0`, OBJECT, '!'),
      field(`${at}.output.0.stdout`, TEXT),
      field(`${at}.output.0.stderr`, TEXT),
      field(`${at}.max_output_length`, ANY, '?'),
      ...statedFields(at),
    ],
  ],
  [
    { type: 'local_shell_call', call_id: 'c', action: { command: ['ls'] }, ...STATED },
    (at) => [
      typed(at),
      field(`${at}.call_id`, ID, '!'),
      field(`${at}.action`, thing('an object'), '!'),
      ...commands(`${at}.action.command`),
      ...statedFields(at),
    ],
  ],
  [
    { type: 'local_shell_call_output', ...STATED, output: 'a' },
    (at) => [
      typed(at),
      field(`${at}.id`, ID, '!'),
      field(`${at}.output`, TEXT, '!'),
      ...statedFields(at).filter(({ path }) => path !== `${at}.id`),
    ],
  ],
  [
    { type: 'apply_patch_call', call_id: 'c', operation: { type: 'delete_file', path: 'a' }, ...STATED },
    (at) => [
      typed(at),
      field(`${at}.call_id`, ID, '!'),
      field(`${at}.operation`, thing('an object'), '!'),
      field(`${at}.operation.type`, one('create_file', 'update_file', 'delete_file'), '!'),
      field(`${at}.operation.path`, TEXT, '!'),
      ...statedFields(at),
    ],
  ],
  [
    { type: 'apply_patch_call_output', call_id: 'c', output: 'done', ...STATED },
    (at) => [typed(at), field(`${at}.call_id`, ID, '!'), field(`${at}.output`, TEXT, '?'), ...statedFields(at)],
  ],
  [
    {
      type: 'reasoning',
      summary: [{ type: 'summary_text', text: 'a' }],
      content: [{ type: 'reasoning_text', text: 'a' }],
      encrypted_content: 'e',
      format: 'openai-responses-v1',
      signature: 's',
      ...STATED,
    },
    (at) => [
      typed(at),
      ...words(`${at}.summary`),
      ...words(`${at}.content`),
      field(`${at}.encrypted_content`, TEXT, '?'),
      field(`${at}.format`, WORD, '?'),
      field(`${at}.signature`, TEXT, '?'),
      ...statedFields(at),
    ],
  ],
  [
    { type: 'image_generation_call', result: 'AA==', prompt: 'p', ...STATED },
    (at) => [typed(at), field(`${at}.result`, TEXT, '?'), field(`${at}.prompt`, ANY, '?'), ...statedFields(at)],
  ],
  [
    { type: 'additional_tools', tools: [], role: 'developer', ...STATED },
    (at) => [typed(at), field(`${at}.tools`, LIST, '!'), field(`${at}.role`, ANY, '?'), ...statedFields(at)],
  ],
  [
    { type: 'configuration_update', reasoning: { effort: 'low' }, ...STATED },
    (at) => [
      typed(at),
      field(`${at}.reasoning`, OBJECT, '!'),
      field(`${at}.reasoning.effort`, one('none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'), '?'),
      ...statedFields(at),
    ],
  ],
  [{ type: 'web_search_call', id: 'ws' }, (at) => [typed(at), field(`${at}.id`, ID, '?')]],
];

const SUBJECT: Subject = {
  body: { model: 'm', input: ITEMS.map(([item]) => item) },
  refusalOf: (body) => {
    try {
      readBody(body, CreateResponseDto);
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  },
};
const FIELDS = ITEMS.flatMap(([, fieldsAt], index) => fieldsAt(`input.${index}`));

it('has a valid body, and a case for each of its fields', () => {
  expect(SUBJECT.refusalOf(SUBJECT.body)).toBeUndefined();
  expect(undescribed(FIELDS, ['input'], SUBJECT.body)).toEqual(['input']);
});

it.each(FIELDS.map((one) => [one.path, one] as const))('judges %s', (_path, one) => {
  const { due, found } = verdictsOn(one, SUBJECT);
  expect(found).toEqual(due);
});
