// Bodies become instances of their classes from declared fields only, with one complaint. A small class, ordinary and
// hostile bodies.
import 'reflect-metadata';
import { GatewayError } from '../../core/errors.js';
import { Closed } from './closed.decorator.js';
import { DtoPipe, readBody, unknownFields } from './dto.pipe.js';
import { Fits } from './fits.decorator.js';
import { MayBeNull, MayOmit } from './may-omit.decorator.js';
import {
  closed,
  compile,
  flag,
  integer,
  list,
  nullable,
  number,
  object,
  optional,
  text,
  unsupported,
} from './schema.js';

class Base {
  @Fits(compile(text()))
  name!: string;
}

class Sample extends Base {
  @MayOmit()
  @Fits(compile(integer()))
  count?: number;

  @MayOmit()
  @Fits(compile(flag()))
  flag?: boolean;

  @MayOmit()
  @MayBeNull()
  @Fits(compile(number()))
  ratio?: number | null;

  @MayBeNull()
  @Fits(compile(text({ max: 3 })))
  note!: string | null;

  @MayOmit()
  @Fits(compile(list(object({ id: text() }))))
  items?: { id: string }[];
}

const part = closed({ alpha: text(), beta: optional(nullable(closed({ gamma: optional(flag()) }))) });

@Closed()
class Narrow {
  @Fits(compile(list(part, { max: 1 })))
  parts!: unknown;

  @MayOmit()
  @Fits(compile(unsupported(nullable(closed({ delta: optional(list(text(), { max: 0 })) })))))
  lacking?: unknown;
}

const GOOD = { name: 'a', note: null };

const refusalOf = (body: unknown): string => {
  try {
    readBody(body, Sample);
  } catch (error) {
    if (error instanceof GatewayError && error.kind === 'invalid-request') return error.message;
    throw error;
  }
  return 'none';
};

describe('readBody', () => {
  it.each<[unknown, string]>([
    [{ ...GOOD }, 'none'],
    [{ ...GOOD, count: 1.0, flag: false, ratio: null, items: [] }, 'none'],
    [{ ...GOOD, name: undefined }, 'name: is required'],
    [{ name: 'a' }, 'note: is required'],
    [{ ...GOOD, name: null }, 'name: must be a string'],
    [{ ...GOOD, count: 1.5 }, 'count: must be an integer'],
    [{ ...GOOD, count: null }, 'count: must be an integer'],
    [{ ...GOOD, flag: 'true' }, 'flag: must be a boolean'],
    [{ ...GOOD, ratio: 'x' }, 'ratio: must be a number'],
    [{ ...GOOD, note: 'abcd' }, 'note: must be at most 3 characters'],
    [{ ...GOOD, items: [{ id: 'a' }, {}] }, 'items.1.id: is required'],
    [{ ...GOOD, items: null }, 'items: must be an array'],
    [null, 'body: must be an object'],
    ['a', 'body: must be an object'],
    [[], 'body: must be an object'],
    [undefined, 'body: must be an object'],
  ])('judges %j', (body, refusal) => {
    expect(refusalOf(body)).toBe(refusal);
  });

  it('creates an instance with the declared fields and keeps the others separately', () => {
    const body: unknown = JSON.parse(
      '{"name": "a", "note": "b", "extra": {"deep": [1]}, "constructor": 1, "__proto__": {"x": 1}}',
    );
    const dto = readBody(body, Sample);
    expect(dto).toBeInstanceOf(Sample);
    expect(dto.constructor).toBe(Sample);
    expect(JSON.parse(JSON.stringify(dto))).toEqual({ name: 'a', note: 'b' });
    const unknown = unknownFields(dto);
    expect(Object.keys(unknown)).toEqual(['extra', 'constructor', '__proto__']);
    expect(JSON.stringify(unknown)).toBe('{"extra":{"deep":[1]},"constructor":1,"__proto__":{"x":1}}');
    expect('x' in {}).toBe(false);
  });

  it('judges a body whose own prototype key names another class', () => {
    expect(refusalOf(JSON.parse('{"__proto__": {"name": "a", "note": null}}'))).toBe('note: is required');
    expect(refusalOf(JSON.parse('{"constructor": {"name": "Base"}}'))).toBe('note: is required');
  });

  it('keeps nothing where no field is unknown', () => {
    expect(unknownFields(readBody(GOOD, Sample))).toEqual({});
  });
});

describe('a closed body', () => {
  it.each([
    ['{"parts":[{"alpha":"a","beta":{"gamma":true}}],"lacking":{"delta":[]}}', undefined],
    ['{"parts":1,"prts":1}', 'prts: is not a known field; did you mean parts?'],
    ['{"parts":[{"alpa":"a"}],"zz":1}', 'zz: is not a known field; the known ones are parts'],
    ['{"parts":[{"alpa":"a"}]}', 'parts.0.alpa: is not a known field; did you mean alpha?'],
    ['{"parts":[{"alpha":1},{"zz":1},1]}', 'parts.1.zz: is not a known field; the known ones are alpha, beta'],
    ['{"parts":[{"beta":{"gama":1}}]}', 'parts.0.beta.gama: is not a known field; did you mean gamma?'],
    ['{"lacking":{"delta":["a"],"zz":1}}', 'lacking.zz: is not a known field; the known ones are delta'],
    ['{"parts":[],"__proto__":1}', '__proto__: is not a known field; the known ones are parts'],
    ['{"parts":[{"__proto__":1}]}', 'parts.0.__proto__: is not a known field; the known ones are alpha, beta'],
    ['{"parts":[{"constructor":1}]}', 'parts.0.constructor: is not a known field; the known ones are alpha, beta'],
    ['{"parts":[{"alpha":1}]}', 'parts.0.alpha: must be a string'],
    ['{"parts":{}}', 'parts: must be an array'],
  ])('%s is refused for the unknown field first', (text, complaint) => {
    const read = (): unknown => readBody(JSON.parse(text), Narrow);
    if (complaint === undefined) expect(read()).toBeInstanceOf(Narrow);
    else expect(read).toThrow(complaint);
  });
});

describe('DtoPipe', () => {
  const pipe = new DtoPipe();

  it('reads bodies and queries by their class', () => {
    expect(pipe.transform(GOOD, { type: 'body', metatype: Sample })).toBeInstanceOf(Sample);
    expect(() => pipe.transform('x', { type: 'query', metatype: Sample })).toThrow('query: must be an object');
  });

  it.each([
    ['at once', 4.9],
    ['after a turn for others, where judging took long', 5],
  ])('returns a body %s', async (_, ms) => {
    jest.spyOn(performance, 'now').mockReturnValueOnce(0).mockReturnValueOnce(ms);
    const given = pipe.transform(GOOD, { type: 'body', metatype: Sample });
    expect(given instanceof Promise).toBe(ms >= 5);
    let hasTurned = false;
    setImmediate(() => (hasTurned = true));
    expect(await given).toEqual(GOOD);
    expect(hasTurned).toBe(ms >= 5);
  });

  it.each([String, Object, undefined, class Undecorated {}])('passes parameters of type %p', (metatype) => {
    const value = { a: 1 };
    expect(pipe.transform(value, { type: 'param', ...(metatype && { metatype }) })).toBe(value);
  });

  it('passes values of custom decorators', () => {
    const value = { a: 1 };
    expect(pipe.transform(value, { type: 'custom', metatype: Sample })).toBe(value);
  });
});
