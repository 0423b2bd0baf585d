/**
 * Goal: a provider receives only those undeclared fields that are known to be safe with it, and each other one is
 * named. Method: tables of rules, fields, values and privacy requirements.
 */
import { modelRequest } from '../../../test/support/model-request.js';
import { endpoint, model, price } from '../../../test/support/route-inputs.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import type { Json, JsonObject } from '../../core/json/json.js';
import type { ProviderDefinition, Target } from '../../core/provider.js';
import type { Endpoint } from '../../core/routing/catalog.js';
import { DROPPED_NAMED_MAX, droppedFields, withPassedFields } from './undeclared-fields.js';

type Rule = Pick<ProviderDefinition, 'undeclared'> & { readonly quirks?: ProviderDefinition['quirks'] };

const NO_RULE: Rule = {};
const LIST: Rule = { undeclared: { only: new Set(['mine', 'store']) } };
const SHORT_LIST: Rule = { undeclared: { only: new Set(['mine']) } };
const DENIED = new Map<string, readonly Json[]>([
  ['store', [false]],
  ['files', []],
]);
const MOST: Rule = { undeclared: { allBut: DENIED } };
const ALL: Rule = { undeclared: { allBut: new Map() } };
const STORES: Rule = { ...MOST, quirks: { storesReplies: true } };

interface TestObject {
  readonly refusesKeeping?: boolean;
  readonly parts?: Partial<Endpoint>;
}

function target({ undeclared, quirks = {} }: Rule, { refusesKeeping, parts = {} }: TestObject = {}): Target {
  const one = endpoint('p', parts);
  return {
    model: model('a/b', [one]),
    endpoint: one,
    tier: 'standard',
    refusesKeeping,
    definition: { slug: 'p', credential: 'bearer', quirks, ...(undeclared && { undeclared }) },
  };
}

const request = (value?: JsonObject): ModelRequest => modelRequest(value && { extras: { vendor: 'openai', value } });
const passed = (value: JsonObject | undefined, to: Target): JsonObject | undefined =>
  withPassedFields(request(value), to, 'openai').extras?.value;
const dropped = (value: JsonObject, to: Target): readonly string[] => droppedFields(request(value), to, 'openai');

it.each<[string, Rule, JsonObject, JsonObject, string[]]>([
  ['nothing where nothing is known', NO_RULE, { mine: 1, seed: 2 }, {}, ['mine', 'seed']],
  ['what its list has', LIST, { mine: 1, yours: 2, store: true }, { mine: 1, store: true }, ['yours']],
  ['all but what is denied', MOST, { mine: 1, files: [], store: true }, { mine: 1 }, ['files', 'store']],
  ['what is denied in a value that requests less', MOST, { store: false }, { store: false }, []],
  ['nothing that is denied and spelt otherwise', MOST, { Files: [], ' store': true, mine: 1 }, { mine: 1 }, ['Files', ' store']],
  ['no value that only looks like it', MOST, { store: 0 }, {}, ['store']],
  ['everything', ALL, { mine: 1, files: [], store: true }, { mine: 1, files: [], store: true }, []],
  ['nothing of the gateway’s own', ALL, { session_id: 's', provider: {}, model: 'x' }, {}, ['session_id', 'provider', 'model']],
  ['nothing that it refuses', { ...ALL, quirks: { omit: ['mine'] } }, { mine: 1, yours: 2 }, { yours: 2 }, ['mine']],
  ['null where it passes, and no name where not', LIST, { mine: null, yours: null }, { mine: null }, []],
  ['no search without a price', ALL, { web_search_options: {} }, {}, ['web_search_options']],
])('passes %s', (_, rule, value, expected, names) => {
  expect(passed(value, target(rule))).toEqual(expected);
  expect(dropped(value, target(rule))).toEqual(names);
}); // oxfmt-ignore

it('passes searches to any provider that sells them', () => {
  const sells = { parts: { pricing: price(1, { webSearch: 10n }) } };
  const value = { web_search_options: {}, mine: 1 };
  expect(passed(value, target(NO_RULE, sells))).toEqual({ web_search_options: {} });
  expect(dropped(value, target(NO_RULE, sells))).toEqual(['mine']);
});

it('passes nothing to another format, and names all of it', () => {
  const requested = request({ mine: 1 });
  expect(withPassedFields(requested, target(ALL), 'anthropic').extras).toEqual({ vendor: 'anthropic', value: {} });
  expect(droppedFields(requested, target(ALL), 'anthropic')).toEqual(['mine']);
});

it('leaves a request as it is that has none', () => {
  const requested = request();
  expect(withPassedFields(requested, target(NO_RULE), 'openai')).toBe(requested);
  expect(withPassedFields(requested, target(MOST, { refusesKeeping: true }), 'openai')).toBe(requested);
  expect(droppedFields(requested, target(NO_RULE), 'openai')).toEqual([]);
});

it('keeps keys that are members of every object', () => {
  const value = JSON.parse('{"__proto__":{"a":1},"constructor":2,"toString":3}') as JsonObject;
  expect(JSON.stringify(passed(value, target(ALL)))).toBe('{"__proto__":{"a":1},"constructor":2,"toString":3}');
  expect(dropped(value, target(NO_RULE))).toEqual(['__proto__', 'constructor', 'toString']);
});

it('names a bounded number of them, each shortened', () => {
  const value = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`${index}`.padStart(500, 'x'), 1]));
  const names = dropped(value, target(NO_RULE));
  expect(names).toHaveLength(DROPPED_NAMED_MAX);
  expect(Math.max(...names.map((name) => name.length))).toBe(65);
});

describe('where nothing may be kept', () => {
  const at = (rule: Rule): Target => target(rule, { refusesKeeping: true });

  it.each<[string, Rule, JsonObject | undefined, JsonObject | undefined, string[]]>([
    ['set without a request', STORES, undefined, { store: false }, []],
    ['set against the caller', STORES, { store: true }, { store: false }, ['store']],
    ['set with the caller', STORES, { store: false, mine: 1 }, { store: false, mine: 1 }, []],
    ['set for null', STORES, { store: null }, { store: false }, []],
    ['set for providers that take the field from a caller', LIST, { store: true }, { store: false }, ['store']],
    ['set for providers that take every field', ALL, { store: 'yes' }, { store: false }, ['store']],
    ['not set for providers without the field', SHORT_LIST, { store: true, mine: 1 }, { mine: 1 }, ['store']],
    ['not set where the field is uncertain', ALL, { mine: 1 }, { mine: 1 }, []],
    ['not set for unknown providers', NO_RULE, { store: true }, {}, ['store']],
  ])('the provider is %s', (_, rule, value, expected, names) => {
    expect(passed(value, at(rule))).toEqual(expected);
    expect(value ? dropped(value, at(rule)) : []).toEqual(names);
  });

  it('set for callers of another format as well', () => {
    const requested = modelRequest({ extras: { vendor: 'anthropic', value: { mine: 1 } } });
    expect(withPassedFields(requested, at(STORES), 'openai').extras).toEqual({
      vendor: 'openai',
      value: { store: false },
    });
  });
});
