// Texts of queries are judged literally, then converted, and the values convert back to the same texts. A query with
// one parameter of each kind, through the pipe of the routes.
import 'reflect-metadata';
import { instanceToPlain } from 'class-transformer';
import { GatewayError } from '../../core/errors.js';
import { readQuery } from './dto.pipe.js';
import { PageDto } from './page.dto.js';
import { QueryDay, QueryFlag, QueryList, QueryNumber, QueryUsd } from './query-validators.js';
import { compile, text } from './schema.js';

const decimal = compile(text({ pattern: '^[0-9]{1,12}(\\.[0-9]{1,12})?$', reason: 'must be a decimal' }));

class Sample extends PageDto {
  override limit = 7;

  @QueryNumber(decimal)
  figure?: number;

  @QueryFlag()
  flag = false;

  @QueryList(compile(text({ max: 20 })))
  list?: readonly string[];

  @QueryUsd(decimal)
  price?: bigint;

  @QueryDay()
  day?: Date;
}

const read = (query: unknown): Sample => readQuery(query, Sample);
const refusalOf = (query: unknown): string => {
  try {
    read(query);
  } catch (error) {
    if (error instanceof GatewayError && error.kind === 'invalid-request') return error.message;
    throw error;
  }
  return 'none';
};

describe('parameters of a query', () => {
  it('have the defaults of their class where they are absent', () => {
    expect(read({})).toEqual({ offset: 0, limit: 7, flag: false });
    expect(read({})).toBeInstanceOf(Sample);
  });

  it.each([
    [
      { offset: '3', limit: '100' },
      { offset: 3, limit: 100 },
    ],
    [{ figure: '0' }, { figure: 0 }],
    [{ figure: '0.25' }, { figure: 0.25 }],
    [{ flag: 'true' }, { flag: true }],
    [{ flag: 'false' }, { flag: false }],
    [{ list: 'a, b ,,c' }, { list: ['a', 'b', 'c'] }],
    [{ list: '' }, { list: [] }],
    [{ price: '0.000000000001' }, { price: 1n }],
    [{ price: '0' }, { price: 0n }],
    [{ day: '2030-01-31' }, { day: new Date('2030-01-31T00:00:00Z') }],
    [{ stranger: 'x', constructor: 'y', toString: 'z' }, { offset: 0 }],
  ])('%j are values', (query, expected) => {
    expect(read(query)).toMatchObject(expected);
  });

  it('are not shifted to another month for a day that does not exist', () => {
    expect(read({ day: '2030-02-30' }).day?.getTime()).toBeNaN();
  });

  it.each([
    [{ limit: '1e1' }, 'limit: must be an integer from 1 to 100'],
    [{ limit: '' }, 'limit: must be an integer from 1 to 100'],
    [{ limit: ' 1' }, 'limit: must be an integer from 1 to 100'],
    [{ limit: '0x1' }, 'limit: must be an integer from 1 to 100'],
    [{ limit: ['1', '2'] }, 'limit: must be a string'],
    [{ limit: 1 }, 'limit: must be a string'],
    [{ limit: { a: '1' } }, 'limit: must be a string'],
    [{ offset: '-1' }, 'offset: must be an integer from 0'],
    [{ offset: '1000000000' }, 'offset: must be an integer from 0'],
    [{ figure: 'Infinity' }, 'figure: must be a decimal'],
    [{ flag: '' }, 'flag: must be one of true, false'],
    [{ flag: '1' }, 'flag: must be one of true, false'],
    [{ list: ['a'] }, 'list: must be a string'],
    [{ price: '1e-3' }, 'price: must be a decimal'],
    [{ day: '2030-1-31' }, 'day: must be a day such as 2030-01-31'],
    [[], 'query: must be an object'],
  ])('%j are refused', (query, message) => {
    expect(refusalOf(query)).toContain(message);
  });

  it('convert back to the original texts', () => {
    const query = { offset: '3', limit: '9', figure: '0.25', flag: 'true', list: 'a,b', price: '0.25' };
    const texts = Object.entries(instanceToPlain(read(query))).map(([name, value]) => [name, String(value)]);
    expect(Object.fromEntries(texts.filter(([name]) => name !== 'day'))).toEqual(query);
  });

  it('keep no key of another object', () => {
    const hostile = JSON.parse('{"__proto__": {"limit": "1"}, "constructor": "x"}') as unknown;
    expect(read(hostile)).toEqual({ offset: 0, limit: 7, flag: false });
    expect(read(hostile).constructor).toBe(Sample);
  });
});
