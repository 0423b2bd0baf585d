import { ValidateBy } from 'class-validator';
import { pathText, type Compiled } from './schema.js';

/** Name of the constraint: its message is the whole complaint, path included. */
export const FITS = 'fits';

/** The field fits a compiled schema; the complaint names the exact place: `messages.3.content.0.id: is required`. */
export const Fits = (schema: Compiled<unknown>): PropertyDecorator =>
  ValidateBy({
    name: FITS,
    validator: {
      validate: (value) => schema.check(value),
      defaultMessage: (judged) => {
        const fault = schema.fault(judged?.value);
        return `${pathText([judged?.property ?? '', fault?.path ?? ''].filter((part) => part !== ''))}: ${fault?.reason}`;
      },
    },
  });
