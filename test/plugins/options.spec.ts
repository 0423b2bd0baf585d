/**
 * Plugin entries are checked alike in `plugins` of either face and in the defaults of the account and a workspace: each
 * option at and beyond its bounds, null, and of the wrong type; unknown ids, and two entries of one plugin. The order
 * of plugins is documented. The cases are generated from the schema of every option, so that new options are covered
 * too.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CreateChatDto } from '../../src/faces/chat/create-chat.dto.js';
import { GatewayError } from '../../src/core/errors.js';
import { CreateMessageDto } from '../../src/faces/messages/create-message.dto.js';
import { PLUGIN_DEFAULTS_BYTES_MAX } from '../../src/plugins/plugin-defaults.js';
import { ALL_PLUGINS } from '../../src/plugins/plugin-list.js';
import { readBody } from '../../src/shared/http/dto.pipe.js';
import { schemaNamed, type TSchema } from '../../src/shared/http/schema.js';
import { AccountPreferencesDto } from '../../src/workspaces/account-preferences.controller.js';
import { CreateWorkspaceDto, UpdateWorkspaceDto } from '../../src/workspaces/workspace-bodies.dto.js';

const MESSAGES = [{ role: 'user', content: 'hi' }];
const FACES: readonly OptionLocation[] = [
  ['/messages', (plugins) => void readBody({ model: 'a/b', messages: MESSAGES, plugins }, CreateMessageDto)],
  ['/chat/completions', (plugins) => void readBody({ model: 'a/b', messages: MESSAGES, plugins }, CreateChatDto)],
];
const PREFERENCES: readonly OptionLocation[] = [
  ['/account/preferences', (plugins) => void readBody({ plugins }, AccountPreferencesDto)],
  ['POST /workspaces', (plugins) => void readBody({ name: 'n', slug: 's', plugins }, CreateWorkspaceDto)],
  ['PATCH /workspaces', (plugins) => void readBody({ plugins }, UpdateWorkspaceDto)],
];
type OptionLocation = readonly [name: string, read: (plugins: unknown) => void];
const PLACES = [...FACES, ...PREFERENCES];

/** @returns the error message; undefined where the entries are accepted */
function complaint([, read]: OptionLocation, plugins: unknown): string | undefined {
  try {
    read(plugins);
    return undefined;
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    expect(error.kind).toBe('invalid-request');
    return error.message;
  }
}

/** Values of a schema: valid ones at its bounds, and invalid ones beyond them with the path of the fault. */
interface Values {
  readonly good: readonly unknown[];
  readonly bad: readonly (readonly [value: unknown, path: string])[];
}

const WRONG: Readonly<Record<string, unknown>> = {
  string: 7, boolean: 'true', integer: '7', number: '7', array: {}, object: [],
}; // oxfmt-ignore

/** @throws Error for a kind of schema without cases here */
function valuesOf(schema: TSchema): Values {
  const { $ref: name, type, if: condition, else: otherwise } = schema as Readonly<Record<string, unknown>>;
  if (typeof name === 'string') return valuesOf(schemaNamed(name)!);
  if (condition !== undefined && otherwise !== undefined) {
    const { good, bad } = valuesOf(otherwise as TSchema);
    return { good: [...good, null], bad: bad.filter(([value]) => value !== null) };
  }
  if (typeof type !== 'string' || !(type in WRONG)) throw new Error(`No cases of ${JSON.stringify(schema)}.`);
  const { good, bad } = BY_TYPE[type]!(schema);
  return { good, bad: [...bad, [null, ''], [WRONG[type], '']] };
}

const BY_TYPE: Readonly<Record<string, (schema: TSchema) => Values>> = {
  boolean: () => ({ good: [true, false], bad: [] }),
  string: ({ enum: words, const: word, minLength = 0, maxLength, format }) => {
    if (format === 'domain-rule')
      return {
        good: ['a.example', '*.example/blog'],
        bad: [
          ['a b', ''],
          ['', ''],
        ],
      };
    if (word !== undefined) return { good: [word], bad: [[`${word as string}s`, '']] };
    if (words) return { good: words as unknown[], bad: [['no such word', '']] };
    const longest = maxLength === undefined ? [] : ['x'.repeat(maxLength as number)];
    return {
      good: ['x'.repeat(Math.max(1, minLength as number)), ...longest],
      bad: longest.map((text) => [`${text}x`, ''] as const),
    };
  },
  integer: (schema) => withBounds(schema, [[1.5, '']]),
  number: (schema) => withBounds(schema, []),
  array: ({ items, minItems = 0, maxItems }) => {
    const inner = valuesOf(items as TSchema);
    const some = inner.good[0];
    const of = (length: number): unknown[] => Array<unknown>(length).fill(some);
    return {
      good: [of(minItems as number), of(maxItems as number), ...inner.good.map((one) => [one])],
      bad: [
        [of((maxItems as number) + 1), ''],
        ...((minItems as number) > 0 ? [[of((minItems as number) - 1), ''] as const] : []),
        ...inner.bad.map(([value, path]) => [[value], path === '' ? '0' : `0.${path}`] as const),
      ],
    };
  },
  object: ({ properties = {}, required = [], discriminator, oneOf: cases }) => {
    if (discriminator) {
      // The fields of its cases are checked separately.
      const { propertyName: tag } = discriminator as { readonly propertyName: string };
      const tagOf = ({ properties: fields }: TSchema): unknown => (fields as Record<string, TSchema>)[tag]!['const'];
      return {
        good: (cases as TSchema[]).map((one) => ({ [tag]: tagOf(one) })),
        bad: [
          [{}, tag],
          [{ [tag]: 'no such word' }, tag],
        ],
      };
    }
    const fields = Object.entries(properties as Readonly<Record<string, TSchema>>).map(
      ([key, field]) => [key, valuesOf(field)] as const,
    );
    const least = Object.fromEntries(
      fields.filter(([key]) => (required as string[]).includes(key)).map(([key, { good }]) => [key, good[0]]),
    );
    return {
      good: [least, ...fields.flatMap(([key, { good }]) => good.map((value) => ({ ...least, [key]: value })))],
      bad: fields.flatMap(([key, { bad }]) =>
        bad.map(([value, path]) => [{ ...least, [key]: value }, path === '' ? key : `${key}.${path}`] as const),
      ),
    };
  },
};

function withBounds({ minimum, maximum }: TSchema, bad: Values['bad']): Values {
  const [least, most] = [minimum as number | undefined, maximum as number | undefined];
  return {
    good: [least ?? 0, most ?? 1],
    bad: [
      ...bad,
      ...(least === undefined ? [] : [[least - 1, ''] as const]),
      ...(most === undefined ? [] : [[most + (most > 1e6 ? 2 : 1), ''] as const]),
    ],
  };
}

const OPTIONS = ALL_PLUGINS.flatMap(({ id, options }) =>
  Object.entries(options).map(([option, schema]) => ({ id, option, schema: schema as TSchema })),
);
const isShort = (value: unknown): boolean => JSON.stringify(value).length < PLUGIN_DEFAULTS_BYTES_MAX / 2;

describe.each(PLACES)('%s', (...location) => {
  const isKept = PREFERENCES.some(([name]) => name === location[0]);

  it.each(OPTIONS)('checks $option of $id', ({ id, option, schema }) => {
    const { good, bad } = valuesOf(schema);
    expect(good.length).toBeGreaterThan(0);
    // Stored entries also have a limit as a whole.
    for (const value of good.filter((one) => !isKept || isShort(one))) {
      expect([value, complaint(location, [{ id, [option]: value }])]).toEqual([value, undefined]);
    }
    for (const [value, path] of bad) {
      const at = `plugins.0.${option}${path === '' ? '' : `.${path}`}`;
      expect([value, complaint(location, [{ id, [option]: value }])]).toEqual([
        value,
        expect.stringContaining(`${at}: `),
      ]);
    }
  });

  it.each(ALL_PLUGINS.map(({ id }) => id))('accepts %s by its id alone', (id) => {
    expect(complaint(location, [{ id }])).toBeUndefined();
  });

  it.each<[string, unknown, string]>([
    ['an unknown id', [{ id: 'web' }, { id: 'wbe' }], 'plugins.1.id: must be one of auto-router, '],
    ['no id', [{ enabled: true }], 'plugins.0.id: '],
    ['null as an id', [{ id: null }], 'plugins.0.id: '],
    ['null as an entry', [null], 'plugins.0: must be an object'],
    ['no list', {}, 'plugins: must be an array'],
    ['more entries than there are plugins', Array(65).fill({ id: 'web' }), 'plugins: must have at most 64 entries'],
  ])('refuses %s', (_, plugins, message) => {
    expect(complaint(location, plugins)).toContain(message);
  });
});

describe.each(PREFERENCES)('%s', (...location) => {
  it.each<[string, unknown, string]>([
    ['a domain that is none', [{ id: 'web', include_domains: ['a.example', 'a b'] }], 'plugins.0.include_domains.1: must be a domain such as'],
    ['the same of a fetch', [{ id: 'web-fetch', blocked_domains: ['*.*'] }], 'plugins.0.blocked_domains.0: must be a domain such as'],
    ['two entries of one id', [{ id: 'web' }, { id: 'fusion' }, { id: 'web' }], 'plugins.2.id: web has an entry already; send one'],
    ['an unknown option', [{ id: 'web', max_result: 3 }], 'plugins.0.max_result: is not a known field; did you mean max_results?'],
    ['a switch of what has none', [{ id: 'moderation', enabled: false }], 'plugins.0.enabled: is not a known field'],
    ['null for good', [{ id: 'web', prevent_overrides: null }], 'plugins.0.prevent_overrides: must be a boolean'],
    ['what the database cannot store', [{ id: 'web', search_prompt: 'a\u0000' }], 'plugins.0.search_prompt: must not contain NUL'],
    ['the same as a key', [{ id: 'fusion', tools: [{ type: 'datetime', parameters: { '\ud800': 1 } }] }], 'plugins.0.tools.0.parameters'],
    ['more than is kept', [{ id: 'web', search_prompt: 'x'.repeat(PLUGIN_DEFAULTS_BYTES_MAX) }], 'plugins: must have at most 32768 bytes as JSON'],
    ['far more', [{ id: 'web', search_prompt: 'x'.repeat(1e6) }], 'plugins: must have at most 32768 bytes as JSON'],
  ])('refuses %s', (_, plugins, message) => {
    expect(complaint(location, plugins)).toContain(message);
  }); // oxfmt-ignore

  it('accepts null, an empty list, an entry of each, and fixed ones', () => {
    for (const plugins of [null, [], ALL_PLUGINS.map(({ id }) => ({ id, prevent_overrides: true }))]) {
      expect(complaint(location, plugins)).toBeUndefined();
    }
  });
});

it.each(FACES)('%s tolerates future options', (...location) => {
  expect(complaint(location, [{ id: 'web', max_result: 3, prevent_overrides: 'no' }])).toBeUndefined();
});

it('has its order documented', () => {
  const page = readFileSync(join(__dirname, '../../docs/use/tools-and-plugins.md'), 'utf8');
  const sentence = /The order within a stage is:([^.]*)\./.exec(page)![1]!;
  expect([...sentence.matchAll(/`([a-z-]+)`/g)].map(([, id]) => id)).toEqual(ALL_PLUGINS.map(({ id }) => id));
});
