// An option of a valid body that no provider receives is named in a warning, by its path in the body; values that
// change nothing are not.
import 'reflect-metadata';
import { readBody } from '../../shared/http/dto.pipe.js';
import { CreateResponseDto } from './create-response.dto.js';
import { ignoredOptions } from './ignored-options.js';
import { readRequest } from './read-request.js';

function warningsOf(body: object): string[] {
  const dto = readBody({ model: 'm', input: 'a', ...body }, CreateResponseDto);
  const { lists } = readRequest(dto, { betas: [] });
  return ignoredOptions(dto, lists).map(({ field, message }) => `${field}: ${message}`);
}

const FUNCTION = { type: 'function', name: 'f' };
const CUSTOM = { type: 'custom', name: 'c' };
const within = (...tools: object[]): object => ({ type: 'namespace', name: 'n', tools });
const OUTPUT = 'output_schema: is not sent: no provider supports it';
const DEFERRED = 'defer_loading: is not sent: the model sees the tool from the start';
const CALLERS = 'allowed_callers: is not sent: the model itself calls the tool';
const DESCRIPTION = 'description: is not sent: the model sees the tools of a namespace one by one';
const ALONE = 'is sent to providers of this format alone';
const OFFLINE = 'external_web_access: false omits the tool, because every search of the gateway uses the web';

it.each<[string, object[], string[]]>([
  ['a function', [{ ...FUNCTION, output_schema: { type: 'object' }, defer_loading: true, allowed_callers: ['x'] }], [`tools.0.${OUTPUT}`, `tools.0.${DEFERRED}`, `tools.0.${CALLERS}`]],
  ['a function of a namespace', [CUSTOM, within(CUSTOM, { ...FUNCTION, output_schema: {}, defer_loading: true, allowed_callers: 'x' })], [`tools.1.tools.1.${OUTPUT}`, `tools.1.tools.1.${DEFERRED}`, `tools.1.tools.1.${CALLERS}`]],
  ['a custom tool', [{ ...CUSTOM, defer_loading: true, allowed_callers: ['direct', 'x'] }], [`tools.0.defer_loading: ${ALONE}`, `tools.0.allowed_callers: ${ALONE}`]],
  ['a custom tool of a namespace', [within({ ...CUSTOM, defer_loading: true, allowed_callers: ['x'] })], [`tools.0.tools.0.${DEFERRED}`, `tools.0.tools.0.${CALLERS}`]],
  ['a namespace', [{ ...within(FUNCTION), description: 'd' }], [`tools.0.${DESCRIPTION}`]],
  ['every search without the web', [{ type: 'web_search', external_web_access: false }, { type: 'web_search_preview', external_web_access: false }], [`tools.0.${OFFLINE}`, `tools.1.${OFFLINE}`]],
  ['values that change nothing', [{ ...FUNCTION, output_schema: null, defer_loading: false, allowed_callers: ['direct'] }, { ...within({ ...FUNCTION, allowed_callers: [] }), description: '' }, { ...CUSTOM, defer_loading: null, allowed_callers: null }], []],
  ['tools that have no such option', [{ type: 'image_generation', defer_loading: true, output_schema: {} }, { type: 'openrouter:datetime' }, { type: 'shell' }], []],
])('names the options of %s', (_name, tools, lines) => {
  expect(warningsOf({ tools })).toEqual(lines);
  const input = [{ role: 'user', content: 'a' }, { type: 'additional_tools', tools }];
  expect(warningsOf({ input })).toEqual(lines.map((line) => line.replace(/^tools/, 'input.1.tools')));
}); // oxfmt-ignore

it('names the mode of reasoning before the tools', () => {
  const tools = [{ ...FUNCTION, defer_loading: true }];
  expect(warningsOf({ reasoning: { mode: 'pro' }, tools })).toEqual([
    'reasoning.mode: is not sent: providers receive their standard mode',
    `tools.0.${DEFERRED}`,
  ]);
  expect(warningsOf({ reasoning: { mode: 'standard' } })).toEqual([]);
});
