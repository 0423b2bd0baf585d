// The description of a DTO matches what its decorators judge. A DTO with each of them; fields without a constraint, or
// with two, are refused.
import { fieldsOf, schemaOfDto } from './dto-schema.js';
import { Fits, ReadableBy } from './fits.decorator.js';
import { MayBeNull, MayOmit } from './may-omit.decorator.js';
import { compile, integer, number, text } from './schema.js';

class BaseDto {
  @Fits(compile(text()))
  model!: string;
}

class EveryDto extends BaseDto {
  @Fits(compile(text({ max: 3 })))
  name!: string;

  @MayOmit()
  @Fits(compile(integer()))
  count?: number;

  @MayOmit()
  @MayBeNull()
  @ReadableBy('isEven', (value) => Number(value) % 2 === 0, 'must be even', number())
  even?: number | null;
}

class SilentDto {
  @MayOmit()
  name!: string;
}

class TwiceDto {
  @ReadableBy('isEven', () => true, 'must be even', number())
  @Fits(compile(text()))
  name!: string;
}

class PlainClass {
  name!: string;
}

describe('fieldsOf', () => {
  it('describes every field, including inherited ones', () => {
    const fields = new Map(fieldsOf(EveryDto).map(({ name, ...field }) => [name, field]));
    expect([...fields.keys()].sort()).toEqual(['count', 'even', 'model', 'name']);
    expect(fields.get('model')).toMatchObject({ required: true, mayBeNull: false, schema: { type: 'string' } });
    expect(fields.get('name')).toMatchObject({ required: true, schema: { type: 'string', maxLength: 3 } });
    expect(fields.get('count')).toMatchObject({ required: false, mayBeNull: false, schema: { type: 'integer' } });
    expect(fields.get('even')).toMatchObject({
      required: false,
      mayBeNull: true,
      schema: { type: 'number', description: 'must be even' },
    });
  });

  it('recognises a class without decorators by its lack of fields', () => {
    expect(fieldsOf(PlainClass)).toEqual([]);
  });

  it('refuses a field without a constraint, and one with two', () => {
    expect(() => fieldsOf(SilentDto)).toThrow('SilentDto.name has to have one constraint.');
    expect(() => fieldsOf(TwiceDto)).toThrow('TwiceDto.name has to have one constraint.');
  });
});

describe('schemaOfDto', () => {
  it('requires fields that must not be omitted', () => {
    const { required, properties } = schemaOfDto(EveryDto);
    expect([...required!].sort()).toEqual(['model', 'name']);
    expect(Object.keys(properties).sort()).toEqual(['count', 'even', 'model', 'name']);
  });
});
