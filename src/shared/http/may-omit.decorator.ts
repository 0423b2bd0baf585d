import { ValidateIf } from 'class-validator';
import { addRule } from './field-rules.js';

/** The field may be absent. Null is not absence: the other decorators judge it. */
export const MayOmit = (): PropertyDecorator =>
  addRule(
    { kind: 'may-be-absent' },
    ValidateIf((_dto: object, value: unknown) => value !== undefined),
  );

/** The field may be null, which is not judged further. Add `@MayOmit()` where absence is allowed too. */
export const MayBeNull = (): PropertyDecorator =>
  addRule(
    { kind: 'may-be-null' },
    ValidateIf((_dto: object, value: unknown) => value !== null),
  );
