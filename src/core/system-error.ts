/** The diagnostic part of an error of the system or of TLS. */
export interface SystemError {
  /** For example `ECONNREFUSED` or `CERT_HAS_EXPIRED`. */
  readonly code: string;
  readonly hostname?: string | undefined;
  /** Address and port that were called. */
  readonly address?: string | undefined;
}

const CAUSES_MAX = 5;
/** Any other value of `code` may contain text from outside. */
const CODE = /^[A-Z][A-Z0-9_]{1,63}$/;

/** The error of the system that caused another, at any depth. */
export function systemErrorOf(failure: Pick<Error, 'cause'>): SystemError | undefined {
  let error: unknown = failure.cause;
  for (let depth = 0; depth < CAUSES_MAX && error instanceof Error; depth++) {
    if ('code' in error && typeof error.code === 'string' && CODE.test(error.code)) {
      const { hostname, address: at, port } = error as { hostname?: unknown; address?: unknown; port?: unknown };
      return {
        code: error.code,
        hostname: typeof hostname === 'string' ? hostname : undefined,
        address: typeof at === 'string' ? `${at}:${String(port)}` : undefined,
      };
    }
    error = error.cause;
  }
  return undefined;
}
