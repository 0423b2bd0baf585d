// Every field of docs/use/messages.md#request-fields is validated exactly, and refused with its path and reason. Based
// on a complete body: each field is tried absent, null, with every wrong type, at and past its limits, with every
// member of its enum and an unknown one. A field without a row fails the last test of its table.
import 'reflect-metadata';
import { SEARCH_ENGINES } from '../../../core/routing/catalog.js';
import {
  ANY,
  bodyWith,
  field,
  fixed,
  FLAG,
  DOMAINS,
  INTEGER,
  LIST,
  located,
  marked,
  OBJECT,
  one,
  refusalOf,
  tag,
  TEXT,
  texts,
  thing,
  undescribed,
  verdictsOn,
  type Field,
} from '../../../../test/support/field-cases.js';
import { FULL_BODY } from '../../../../test/support/message-body.js';

const CALLERS = one('direct', 'code_execution_20250825', 'code_execution_20260120');

const TOOLS: Field[] = [
  field('tools', { type: 'array', max: 10_000, filler: { name: 'a', input_schema: {} } }),
  ...FULL_BODY.tools.map((_, index) => field(`tools.${index}.type`, TEXT)),
  field('tools.0.name', TEXT, '!'),
  field('tools.0.description', TEXT),
  field('tools.0.input_schema', OBJECT, '!'),
  field('tools.0.input_schema.type', TEXT),
  field('tools.0.input_schema.properties', ANY),
  field('tools.0.input_schema.required', { type: 'array', max: 20_000 }, '?'),
  field('tools.0.input_schema.required.0', TEXT, '!'),
  field('tools.0.defer_loading', FLAG),
  field('tools.0.strict', FLAG),
  ...FULL_BODY.tools.flatMap(({ type }, index) => (type === 'memory_20990101' ? [] : marked(`tools.${index}`))),
  ...[1, 2, 3, 4, 5].map((index) => fixed(`tools.${index}.name`)),
  ...[3, 4].flatMap((index) => [
    ...texts(`tools.${index}.allowed_domains`, '?', DOMAINS),
    ...texts(`tools.${index}.blocked_domains`, '?', DOMAINS),
    field(`tools.${index}.max_uses`, INTEGER, '?'),
    ...located(`tools.${index}.user_location`, '?'),
  ]),
  ...[4, 5].flatMap((index) => [
    field(`tools.${index}.allowed_callers`, LIST),
    field(`tools.${index}.allowed_callers.0`, CALLERS, '!'),
  ]),
  field('tools.5.model', TEXT, '!'),
  field('tools.5.caching', thing('an object or null'), '?'),
  fixed('tools.5.caching.type'),
  field('tools.5.caching.ttl', one('5m', '1h')),
  field('tools.5.defer_loading', FLAG),
  field('tools.5.max_uses', INTEGER),

  ...FULL_BODY.tools.slice(6, 15).map((_, index) => field(`tools.${index + 6}.parameters`, OBJECT)),
  field('tools.6.parameters.engine', one('auto', 'native', 'openrouter')),
  ...[6, 7].flatMap((index) => [
    field(`tools.${index}.parameters.environment`, thing('an object')),
    field(`tools.${index}.parameters.environment.type`, tag('container_auto', 'container_reference'), '!'),
    field(`tools.${index}.parameters.sleep_after_seconds`, { type: 'integer', max: 2_592_000 } as const),
  ]),
  field('tools.6.parameters.environment.container_id', TEXT, '!'),
  field('tools.7.parameters.engine', one('auto', 'openrouter')),
  field('tools.8.parameters.timezone', TEXT),
  field('tools.9.parameters.model', TEXT),
  field('tools.9.parameters.output_compression', { type: 'number', min: 0, max: 100 }),
  field('tools.9.parameters.quality', ANY),
  field('tools.10.parameters.max_results', { type: 'integer', min: 1, max: 20 }),
  field('tools.11.parameters.max_results', { type: 'integer', min: 1, max: 50 }),
  field('tools.12.parameters.engine', one('auto', 'native', 'openrouter', 'exa', 'parallel', 'firecrawl')),
  field('tools.12.parameters.max_uses', INTEGER),
  field('tools.12.parameters.max_content_tokens', INTEGER),
  ...texts('tools.12.parameters.allowed_domains', '', DOMAINS),
  ...texts('tools.12.parameters.blocked_domains', '', DOMAINS),
  field('tools.13.parameters.max_results', { type: 'integer', min: 1, max: 25 }),
  field('tools.13.parameters.max_total_results', INTEGER),
  field('tools.13.parameters.max_uses', INTEGER),
  field('tools.13.parameters.max_characters', { type: 'integer', min: 1, max: 100_000 }),
  field('tools.13.parameters.search_context_size', one('low', 'medium', 'high')),
  ...texts('tools.13.parameters.allowed_domains', '', DOMAINS),
  field('tools.13.parameters.engine', one('auto', 'native', ...SEARCH_ENGINES)),
  field('tools.16.parameters', OBJECT),
  ...texts('tools.16.parameters.excluded_domains', '', DOMAINS),
  ...located('tools.13.parameters.user_location', '?'),
  field('tools.15.anything', ANY),
];

const FIELDS: Field[] = [...TOOLS];

describe('tools', () => {
  it.each(FIELDS)('validates $path', (each) => {
    const { due, found } = verdictsOn(each);
    expect(found).toEqual(due);
  });

  it('has a row for every field', () => {
    expect(undescribed(FIELDS, ['tools'])).toEqual([]);
  });

  const SEARCH = 'tools.13.parameters';
  const ADVISORS: readonly (readonly [parameters: object, fault: string | undefined])[] = [
    [{}, undefined],
    [{ model: 'a', name: 'a b', instructions: '', forward_transcript: true, stream: true, tools: [] }, undefined],
    [{ max_uses: 0, max_tokens: 1, max_completion_tokens: 1, temperature: 2, reasoning: { effort: 'low' } }, undefined],
    [{ model: '' }, 'model: must be at least 1 character'],
    [{ model: null }, 'model: must be a string'],
    [{ name: 'a/b' }, 'name: must be 1 to 64 letters, digits, spaces, underscores or hyphens'],
    [{ max_uses: -1 }, 'max_uses: must be at least 0'],
    [{ max_uses: 1.5 }, 'max_uses: must be an integer'],
    [{ max_uses: 'x' }, 'max_uses: must be an integer'],
    [{ max_tokens: -5 }, 'max_tokens: must be at least 1'],
    [{ max_completion_tokens: 0 }, 'max_completion_tokens: must be at least 1'],
    [{ temperature: 3 }, 'temperature: must be at most 2'],
    [
      { reasoning: { effort: 'much' } },
      'reasoning.effort: must be one of none, minimal, low, medium, high, xhigh, max',
    ],
    [{ tools: [{}] }, 'tools.0: no adviser has tools of its own here; leave tools out'],
  ];
  const deep = (depth: number): unknown => JSON.parse(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`);

  it.each<[string, unknown, string | undefined]>([
    ['tools.0', { name: 'a', input_schema: {} }, undefined],
    ['tools.0', {}, 'tools.0.name: is required'],
    ['tools.0', { name: 'a' }, 'tools.0.input_schema: is required'],
    ['tools.0', { type: null, name: 'a', input_schema: {} }, 'tools.0.type: must be a string'],
    ['tools.0', { type: 'custom' }, 'tools.0.name: is required'],
    ['tools.0', { type: 'anything_else' }, undefined],
    ['tools.0', { type: 'bash_20990101', name: 1 }, undefined],
    ['tools.0', 'a', 'tools.0: must be an object'],
    ['tools.0', [], 'tools.0: must be an object'],
    ['tools.0.input_schema', { type: 'object', $schema: 'a', additionalProperties: false, anyOf: [1] }, undefined],
    ['tools.0.input_schema', deep(20_000), undefined],
    ['tools.0.input_schema', JSON.parse('{"__proto__": 1, "constructor": 2}'), undefined],
    ['tools.6.parameters.environment.container_id', 'a'.repeat(20), undefined],
    ['tools.6.parameters.environment.container_id', 'a_-9', undefined],
    ...['', 'a'.repeat(21), 'a b', 'a\n'].map((id): [string, unknown, string] => [
      'tools.6.parameters.environment.container_id',
      id,
      'tools.6.parameters.environment.container_id: must be 1 to 20 letters, digits, underscores or hyphens',
    ]),
    [`${SEARCH}.engine`, 'auto', undefined],
    ['tools.5.max_tokens', 1, undefined],
    ['tools.5.max_tokens', null, undefined],
    ['tools.5.max_tokens', -5, 'tools.5.max_tokens: must be at least 1'],
    ['tools.5.max_tokens', 0, 'tools.5.max_tokens: must be at least 1'],
    ['tools.0', { type: 'openrouter:advisor' }, undefined],
    ...ADVISORS.map(([parameters, fault]): [string, unknown, string | undefined] => [
      'tools.0',
      { type: 'openrouter:advisor', parameters },
      fault && `tools.0.parameters.${fault}`,
    ]),
    [
      `${SEARCH}.engine`,
      1,
      `${SEARCH}.engine: must be one of auto, native, exa, parallel, firecrawl, perplexity, searxng, simulated`,
    ],
    [SEARCH, { engine: 'perplexity', max_results: 20 }, undefined],
    [SEARCH, { engine: 'perplexity', max_results: 21 }, `${SEARCH}.max_results: must be at most 20`],
    [SEARCH, { engine: 'native', max_results: 25 }, undefined],
    [SEARCH, { allowed_domains: [], excluded_domains: [] }, undefined],
    ...['native', 'parallel', 'firecrawl', 'perplexity'].map((engine): [string, unknown, string] => [
      SEARCH,
      { engine, allowed_domains: [], excluded_domains: [] },
      `${SEARCH}.excluded_domains: cannot be combined with allowed_domains at this engine`,
    ]),
    [SEARCH, { engine: 'native', allowed_domains: [] }, undefined],
    [SEARCH, { mode: 'tolerated' }, undefined],
    ['tools.14.parameters', 1, 'tools.14.parameters: must be an object'],
    ['tools.14', { type: 'openrouter:unheard_of' }, undefined],
  ])('judges %s', (path, value, refusal) => {
    expect(refusalOf(bodyWith(path, value))).toBe(refusal);
  });
});
