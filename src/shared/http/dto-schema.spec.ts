// Goal: what is told of a DTO is what its decorators judge. Method: a DTO with each of them; what
// says nothing is refused.
import { IsInt, IsString, Length } from 'class-validator';
import { fieldsOf, schemaOfDto } from './dto-schema.js';
import { Fits, ReadableBy } from './fits.decorator.js';
import { MayBeNull, MayOmit } from './may-omit.decorator.js';
import { compile, number, text } from './schema.js';

class BaseDto {
  @IsString()
  model!: string;
}

class EveryDto extends BaseDto {
  @Fits(compile(text({ max: 3 })))
  name!: string;

  @MayOmit()
  @IsInt()
  count?: number;

  @MayOmit()
  @MayBeNull()
  @ReadableBy('isEven', (value) => Number(value) % 2 === 0, 'must be even', number())
  even?: number | null;
}

class SilentDto {
  @Length(1, 2)
  name!: string;
}

class TwiceDto {
  @IsString()
  @Fits(compile(text()))
  name!: string;
}

class PlainClass {
  name!: string;
}

describe('fieldsOf', () => {
  it('tells of every field, inherited ones too', () => {
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

  it('knows a class without decorators by having no fields', () => {
    expect(fieldsOf(PlainClass)).toEqual([]);
  });

  it('refuses a constraint that does not say what it takes, and two of one field', () => {
    expect(() => fieldsOf(SilentDto)).toThrow('isLength of name has no schema');
    expect(() => fieldsOf(TwiceDto)).toThrow('TwiceDto.name has to have one constraint.');
  });
});

describe('schemaOfDto', () => {
  it('requires what may not be left out', () => {
    const { required, properties } = schemaOfDto(EveryDto);
    expect([...required!].sort()).toEqual(['model', 'name']);
    expect(Object.keys(properties).sort()).toEqual(['count', 'even', 'model', 'name']);
  });
});
