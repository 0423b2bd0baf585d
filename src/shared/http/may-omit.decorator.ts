import { ValidateIf } from 'class-validator';

/** Condition of `@MayOmit()`. One function for all fields, so that the description knows it by itself. */
export const IS_GIVEN = (_dto: object, value: unknown): boolean => value !== undefined;
/** Condition of `@MayBeNull()`. */
export const IS_NOT_NULL = (_dto: object, value: unknown): boolean => value !== null;

/** The field may be absent. Null is not absence: it is judged by the other decorators. */
export const MayOmit = (): PropertyDecorator => ValidateIf(IS_GIVEN);

/** The field may be null, and null is not judged further. Absence is: add `@MayOmit()` where that is allowed too. */
export const MayBeNull = (): PropertyDecorator => ValidateIf(IS_NOT_NULL);
