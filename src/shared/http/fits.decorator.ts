import { ValidateBy } from 'class-validator';
import { addRule } from './field-rules.js';
import { pathText, type Compiled, type TSchema } from './schema.js';

const FITS = 'fits';

/**
 * The field must fit a compiled schema; the complaint names the exact path: `messages.3.content.0.id: is required`.
 */
export const Fits = (schema: Compiled<unknown>): PropertyDecorator =>
  addRule(
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
 * @param requirement completes the complaint: `must be a number of …`
 * @param schema the part of the rule that a schema can express, for the description
 */
export const ReadableBy = (
  name: string,
  validate: (value: unknown) => boolean,
  requirement: string,
  schema: TSchema,
): PropertyDecorator =>
  addRule(
    { kind: 'readable', validate, schema: { ...schema, description: requirement } },
    ValidateBy({ name, validator: { validate, defaultMessage: (judged) => `${judged?.property}: ${requirement}` } }),
  );
