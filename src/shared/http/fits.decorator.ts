import { ValidateBy } from 'class-validator';
import { ruled } from './field-rules.js';
import { pathText, type Compiled, type TSchema } from './schema.js';

const FITS = 'fits';

/**
 * The field must fit a compiled schema; the complaint names the exact place: `messages.3.content.0.id: is required`.
 */
export const Fits = (schema: Compiled<unknown>): PropertyDecorator =>
  ruled(
    { kind: 'fits', schema },
    ValidateBy({
      name: FITS,
      validator: {
        validate: (value) => schema.check(value),
        defaultMessage: (judged) => {
          const fault = schema.fault(judged?.value);
          return `${pathText([judged?.property ?? '', fault?.path ?? ''].filter((part) => part !== ''))}: ${fault?.reason}`;
        },
      },
    }),
  );

/**
 * The field must be readable by the given reader, where a schema cannot express the rule.
 * @param wish completes the complaint: `must be a number of …`
 * @param schema the part of the rule that a schema can express, for the description
 */
export const ReadableBy = (
  name: string,
  validate: (value: unknown) => boolean,
  wish: string,
  schema: TSchema,
): PropertyDecorator =>
  ruled(
    { kind: 'readable', validate, schema: { ...schema, description: wish } },
    ValidateBy({ name, validator: { validate, defaultMessage: (judged) => `${judged?.property}: ${wish}` } }),
  );
