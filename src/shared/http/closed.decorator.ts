const CLOSED = new WeakSet<object>();

/**
 * Unknown fields of such a body are refused by name. For bodies of management, where a misspelt restriction would go
 * unnoticed; bodies for providers stay open. Subclasses are closed too.
 */
export const Closed = (): ClassDecorator => (dtoClass) => void CLOSED.add(dtoClass);

/** Whether `@Closed()` is on a class, or on one it extends. */
export function isClosed(dtoClass: object): boolean {
  for (
    let prototype: object | null = dtoClass;
    prototype !== null;
    prototype = Object.getPrototypeOf(prototype) as object | null
  )
    if (CLOSED.has(prototype)) return true;
  return false;
}
