/**
 * The code of a system or database error: `ENOENT`, `57P01`; absent where there is none. Does not require an `Error`,
 * because inside a test sandbox the errors of Node's own modules come from another realm.
 */
export function systemCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
