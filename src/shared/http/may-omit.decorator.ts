import { ValidateIf } from 'class-validator';

/** The field may be absent. Null is not absence: it is judged by the other decorators. */
export const MayOmit = (): PropertyDecorator => ValidateIf((_dto, value) => value !== undefined);

/** The field may be null, and null is not judged further. Absence is: add `@MayOmit()` where that is allowed too. */
export const MayBeNull = (): PropertyDecorator => ValidateIf((_dto, value) => value !== null);
