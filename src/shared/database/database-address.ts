/**
 * Where a PostgreSQL is, for people: host, port and database of its URL, of which nothing else may be shown.
 * @param url as `DATABASE_URL` has it; a host that is a folder of sockets stands in its parameters
 */
export function databaseAddress(url: string): string {
  const { hostname, port, pathname, searchParams } = new URL(url);
  const host = hostname || searchParams.get('host') || 'the local socket';
  return `${host}${port === '' ? '' : `:${port}`}${pathname === '/' ? '' : pathname}`;
}
