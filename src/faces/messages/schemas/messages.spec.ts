// Every field of docs/use/messages.md#request-fields is validated exactly, and refused with its path and reason. Based
// on a complete body: each field is tried absent, null, with every wrong type, at and past its limits, with every
// member of its enum and an unknown one. A field without a row fails the last test of its table.
import 'reflect-metadata';
import {
  ANY,
  bodyWith,
  field,
  fixed,
  FLAG,
  INTEGER,
  LIST,
  marked,
  OBJECT,
  one,
  refusalOf,
  tag,
  TEXT,
  TEXT_OR_LIST,
  thing,
  undescribed,
  verdictsOn,
  type Field,
} from '../../../../test/support/field-cases.js';
import { FULL_BODY } from '../../../../test/support/message-body.js';
import { ALL_SERVICE_TOOLS } from '../../../tools/service-tools.js';

const USER = 'messages.0.content';
const ASSISTANT = 'messages.1.content';
const SYSTEM = 'messages.2.content';
const BLOCKS = [
  'text', 'image', 'document', 'search_result', 'tool_use', 'tool_result', 'thinking', 'redacted_thinking', 'server_tool_use',
  'web_search_tool_result', 'compaction', 'advisor_tool_result', 'web_fetch_tool_result', 'code_execution_tool_result',
  'bash_code_execution_tool_result', 'text_editor_code_execution_tool_result', 'tool_search_tool_result',
  'openrouter_shell_tool_result', ...ALL_SERVICE_TOOLS.map(({ resultType }) => resultType).filter((type) => type.startsWith('openrouter_')),
  'container_upload', 'mcp_tool_use', 'mcp_tool_result',
]; // oxfmt-ignore
const RESULT_PARTS = ['text', 'image', 'document', 'search_result', 'tool_reference'];
const CITATIONS = [
  'char_location', 'page_location', 'content_block_location', 'web_search_result_location', 'search_result_location',
]; // oxfmt-ignore
const CITATION_NUMBERS = [
  ['document_index', 'start_char_index', 'end_char_index'],
  ['document_index', 'start_page_number', 'end_page_number'],
  ['document_index', 'start_block_index', 'end_block_index'],
  [],
  ['search_result_index', 'start_block_index', 'end_block_index'],
];
const CITATION_TEXTS = [['cited_text'], ['cited_text'], ['cited_text'], ['cited_text', 'url', 'encrypted_index'], ['cited_text', 'source']]; // oxfmt-ignore

const CALL = (path: string): Field[] => [
  field(`${path}.id`, TEXT, '!'),
  field(`${path}.name`, TEXT, '!'),
  field(`${path}.input`, ANY),
];

const MESSAGES: Field[] = [
  field('messages', { type: 'array', min: 1, max: 100_000, filler: { role: 'user', content: 'a' } }, '!'),
  ...[0, 1, 2].flatMap((index) => [
    field(`messages.${index}.role`, tag('user', 'assistant', 'system'), '!'),
    field(`messages.${index}.content`, TEXT_OR_LIST, '!'),
  ]),
  ...FULL_BODY.messages[0]!.content.map((_, index) => field(`${USER}.${index}.type`, tag(...BLOCKS), '!')),
  ...FULL_BODY.messages[1]!.content.map((_, index) => field(`${ASSISTANT}.${index}.type`, tag(...BLOCKS), '!')),
  ...FULL_BODY.messages[2]!.content.flatMap((_, index) => [
    field(`${SYSTEM}.${index}.type`, tag(...BLOCKS, 'tool_addition', 'tool_removal'), '!'),
    field(`${SYSTEM}.${index}.tool`, thing('an object'), '!'),
    field(`${SYSTEM}.${index}.tool.type`, tag('tool_reference', 'mcp_tool_reference', 'mcp_toolset_reference'), '!'),
  ]),
  field(`${USER}.0.text`, TEXT, '!'),
  field(`${USER}.0.citations`, LIST, '?'),
  ...CITATIONS.flatMap((_, index) => [
    field(`${USER}.0.citations.${index}.type`, tag(...CITATIONS), '!'),
    ...CITATION_NUMBERS[index]!.map((key) => field(`${USER}.0.citations.${index}.${key}`, INTEGER, '!')),
    ...CITATION_TEXTS[index]!.map((key) => field(`${USER}.0.citations.${index}.${key}`, TEXT, '!')),
    field(`${USER}.0.citations.${index}.${index < 3 ? 'document_title' : 'title'}`, TEXT, '!?'),
  ]),
  ...[0, 1, 3, 8, 9].flatMap((index) => marked(`${USER}.${index}`)),
  ...[1, 2, 3, 4, 5, 6, 7].map((index) => field(`${USER}.${index}.source`, thing('an object'), '!')),
  field(`${USER}.1.source.type`, tag('base64', 'url'), '!'),
  field(`${USER}.1.source.media_type`, one('image/jpeg', 'image/png', 'image/gif', 'image/webp', 'image/jpg'), '!'),
  field(`${USER}.1.source.data`, TEXT, '!'),
  field(`${USER}.2.source.type`, tag('base64', 'url'), '!'),
  field(`${USER}.2.source.url`, TEXT, '!'),
  ...[3, 4, 5, 6, 7].map((index) =>
    field(`${USER}.${index}.source.type`, tag('base64', 'text', 'content', 'url', 'file'), '!'),
  ),
  fixed(`${USER}.3.source.media_type`),
  field(`${USER}.3.source.data`, TEXT, '!'),
  field(`${USER}.3.title`, TEXT, '?'),
  field(`${USER}.3.context`, TEXT, '?'),
  field(`${USER}.3.citations`, OBJECT, '?'),
  field(`${USER}.3.citations.enabled`, FLAG),
  fixed(`${USER}.4.source.media_type`),
  field(`${USER}.4.source.data`, TEXT, '!'),
  field(`${USER}.5.source.content`, TEXT_OR_LIST, '!'),
  field(`${USER}.5.source.content.0.type`, tag('text', 'image'), '!'),
  field(`${USER}.5.source.content.0.text`, TEXT, '!'),
  field(`${USER}.6.source.url`, TEXT, '!'),
  field(`${USER}.7.source.file_id`, TEXT, '!'),
  field(`${USER}.8.source`, TEXT, '!'),
  field(`${USER}.8.title`, TEXT, '!'),
  field(`${USER}.8.content`, LIST, '!'),
  fixed(`${USER}.8.content.0.type`),
  field(`${USER}.8.content.0.text`, TEXT, '!'),
  field(`${USER}.8.citations`, OBJECT),
  field(`${USER}.8.citations.enabled`, FLAG),
  field(`${USER}.9.tool_use_id`, TEXT, '!'),
  field(`${USER}.9.content`, TEXT_OR_LIST),
  ...RESULT_PARTS.map((_, index) => field(`${USER}.9.content.${index}.type`, tag(...RESULT_PARTS), '!')),
  field(`${USER}.9.content.0.text`, TEXT, '!'),
  field(`${USER}.9.content.1.source`, thing('an object'), '!'),
  field(`${USER}.9.content.1.source.type`, tag('base64', 'url'), '!'),
  field(`${USER}.9.content.1.source.url`, TEXT, '!'),
  field(`${USER}.9.content.2.source`, thing('an object'), '!'),
  field(`${USER}.9.content.2.source.type`, tag('base64', 'text', 'content', 'url', 'file'), '!'),
  field(`${USER}.9.content.2.source.url`, TEXT, '!'),
  field(`${USER}.9.content.3.source`, TEXT, '!'),
  field(`${USER}.9.content.3.title`, TEXT, '!'),
  field(`${USER}.9.content.3.content`, LIST, '!'),
  field(`${USER}.9.content.4.tool_name`, TEXT, '!'),
  ...marked(`${USER}.9.content.4`),
  field(`${USER}.9.is_error`, FLAG),
  field(`${ASSISTANT}.0.thinking`, TEXT, '!'),
  field(`${ASSISTANT}.0.signature`, TEXT, '!'),
  field(`${ASSISTANT}.1.data`, TEXT, '!'),
  ...[2, 3, 16].flatMap((index) => CALL(`${ASSISTANT}.${index}`)),
  field(`${ASSISTANT}.16.server_name`, TEXT, '!'),
  ...[2, 3, 4, 6, 7].flatMap((index) => marked(`${ASSISTANT}.${index}`)),
  ...[4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 17].map((index) => field(`${ASSISTANT}.${index}.tool_use_id`, TEXT, '!')),
  field(`${ASSISTANT}.4.content`, { type: 'mixed', words: 'an array or an object', types: ['array', 'object'] }, '!'),
  fixed(`${ASSISTANT}.4.content.0.type`),
  ...['url', 'title', 'encrypted_content'].map((key) => field(`${ASSISTANT}.4.content.0.${key}`, TEXT, '!')),
  field(`${ASSISTANT}.4.content.0.page_age`, TEXT, '?'),
  field(`${ASSISTANT}.5.content`, { type: 'mixed', words: 'an array or an object', types: ['array', 'object'] }, '!'),
  fixed(`${ASSISTANT}.5.content.type`),
  field(
    `${ASSISTANT}.5.content.error_code`,
    one('invalid_tool_input', 'unavailable', 'max_uses_exceeded', 'too_many_requests', 'query_too_long', 'request_too_large'), // oxfmt-ignore
    '!',
  ),
  field(`${ASSISTANT}.6.content`, TEXT, '!?'),
  field(`${ASSISTANT}.6.encrypted_content`, TEXT, '?'),
  ...[7, 8, 9, 10, 11, 12, 13, 14].map((index) => field(`${ASSISTANT}.${index}.content`, OBJECT, '!')),
  field(`${ASSISTANT}.15.file_id`, TEXT, '!'),
  field(`${ASSISTANT}.17.content`, TEXT_OR_LIST),
  fixed(`${ASSISTANT}.17.content.0.type`),
  field(`${ASSISTANT}.17.content.0.text`, TEXT, '!'),
  field(`${ASSISTANT}.17.is_error`, FLAG),
  ...marked(`${SYSTEM}.0`),
  field(`${SYSTEM}.0.tool.name`, TEXT, '!'),
  field(`${SYSTEM}.1.tool.name`, TEXT, '!'),
  field(`${SYSTEM}.1.tool.server_name`, TEXT, '!'),
  field(`${SYSTEM}.2.tool.server_name`, TEXT, '!'),
];
const FIELDS: Field[] = [...MESSAGES];

describe('messages', () => {
  it.each(FIELDS)('validates $path', (each) => {
    const { due, found } = verdictsOn(each);
    expect(found).toEqual(due);
  });

  it('has a row for every field', () => {
    expect(undescribed(FIELDS, ['messages'])).toEqual([]);
  });

  it.each<[string, unknown, string | undefined]>([
    ['messages', [], 'messages: must have at least 1 entry'],
    ['messages', {}, 'messages: must be an array'],
    ['messages.0', 'a', 'messages.0: must be an object'],
    ['messages.0', [], 'messages.0: must be an object'],
    ['messages.0', {}, 'messages.0.role: is required'],
    ['messages.0', { role: 'user', content: '', name: 'tolerated' }, undefined],
    ['messages.0.content', [], undefined],
    ['messages.0.content.0', {}, 'messages.0.content.0.type: is required'],
    ['messages.0.content.0', 'a', 'messages.0.content.0: must be an object'],
    ['messages.0.content.0', { type: 'text', text: '', unheard_of: 1 }, undefined],
    [`${USER}.0`, { type: 'tool_addition', tool: {} }, `${USER}.0.type: must be one of ${BLOCKS.join(', ')}`],
    [`${USER}.5.source.content`, 'a', undefined],
    [`${USER}.9.content`, 'a', undefined],
    [
      `${USER}.9.content.0`,
      { type: 'tool_use' },
      `${USER}.9.content.0.type: must be one of ${RESULT_PARTS.join(', ')}`,
    ],
    [
      `${USER}.9.content.1.source`,
      { type: 'base64', media_type: 'image/svg+xml', data: '' },
      `${USER}.9.content.1.source.media_type: must be one of image/jpeg, image/png, image/gif, image/webp, image/jpg`,
    ],
    [`${ASSISTANT}.2.input`, JSON.parse('{"__proto__": {"a": 1}, "constructor": 2}'), undefined],
    [`${ASSISTANT}.2.input`, JSON.parse(`${'['.repeat(20_000)}${']'.repeat(20_000)}`), undefined],
    [
      `${ASSISTANT}.5.content.error_code`,
      'unheard_of',
      `${ASSISTANT}.5.content.error_code: must be one of invalid_tool_input, unavailable, max_uses_exceeded, too_many_requests, query_too_long, request_too_large`,
    ],
    [`${ASSISTANT}.17.content`, 'a', undefined],
    [
      `${SYSTEM}.0.tool`,
      { type: 'bash' },
      `${SYSTEM}.0.tool.type: must be one of tool_reference, mcp_tool_reference, mcp_toolset_reference`,
    ],
  ])('judges %s', (path, value, refusal) => {
    expect(refusalOf(bodyWith(path, value))).toBe(refusal);
  });
});
