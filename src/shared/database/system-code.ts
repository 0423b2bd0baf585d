/**
 * The code of a system or database error: `ENOENT`, `57P01`; absent where there is none. It does not ask for an
 * `Error`, because the errors of Node's own modules are of another realm inside a test sandbox.
 */
export function systemCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
