import { Fits } from '../../shared/http/fits.decorator.js';
import { MayBeNull, MayOmit } from '../../shared/http/may-omit.decorator.js';
import type { Compiled } from '../../shared/http/schema.js';

/** The field may be absent, and null means the same (docs/use/conventions.md#null-and-absence). */
const Nullable = (): PropertyDecorator => (target, key) => {
  MayOmit()(target, key);
  MayBeNull()(target, key);
};

/** An optional field. */
export const May =
  (schema: Compiled<unknown>): PropertyDecorator =>
  (target, key) => {
    Nullable()(target, key);
    Fits(schema)(target, key);
  };
