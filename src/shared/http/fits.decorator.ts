import { ValidateBy } from 'class-validator';
import { pathText, type Compiled, type Described, type TSchema } from './schema.js';

/** Name of the constraint: its message is the whole complaint, path included. */
export const FITS = 'fits';

/** The field fits a compiled schema; the complaint names the exact place: `messages.3.content.0.id: is required`. */
export const Fits = (schema: Compiled<unknown>): PropertyDecorator =>
  ValidateBy({
    name: FITS,
    // For the description: `dto-schema.ts` reads it.
    constraints: [schema],
    validator: {
      validate: (value) => schema.check(value),
      defaultMessage: (judged) => {
        const fault = schema.fault(judged?.value);
        return `${pathText([judged?.property ?? '', fault?.path ?? ''].filter((part) => part !== ''))}: ${fault?.reason}`;
      },
    },
  });

/**
 * The field is what a reader of ours can read, where no schema can say it all.
 * @param wish told in the complaint: `must be a number of …`
 * @param schema as much of it as a schema can say, for the description
 */
export const ReadableBy = (
  name: string,
  validate: (value: unknown) => boolean,
  wish: string,
  schema: TSchema,
): PropertyDecorator =>
  ValidateBy({
    name,
    constraints: [{ schema: { ...schema, description: wish } } satisfies Described],
    validator: { validate, defaultMessage: (judged) => `${judged?.property} ${wish}` },
  });
