/**
 * The address of a PostgreSQL server for display: host, port and database of its URL, of which nothing else may be
 * shown.
 * @param url the value of `DATABASE_URL`; a host that is a socket folder is in its parameters
 */
export function databaseAddress(url: string): string {
  const { hostname, port, pathname, searchParams } = new URL(url);
  const host = hostname || searchParams.get('host') || 'the local socket';
  return `${host}${port === '' ? '' : `:${port}`}${pathname === '/' ? '' : pathname}`;
}
