import type { Socket } from 'node:net';
import { buildConnector, Client } from 'undici';
import { pinned } from './checked-ip-addresses.js';
import type { ResolvedAddress } from './name-resolver.js';
import { readInSlices } from './read-in-slices.js';

const HEADER_BYTES_MAX = 32 * 1024;
/** Delay before the next address is tried in parallel to one that does not answer. */
const ADDRESS_MS = 250;

/** A client of one origin that connects to checked addresses only. */
export interface PinnedClient {
  readonly client: Client;
  /** Closes the connection, whether or not all was read. */
  readonly close: () => void;
}

/**
 * For one request. The deadline of the caller is the only time limit beside that of connecting.
 * @param addresses those of the URL's host, each of them allowed
 */
export function openPinnedClient(url: URL, addresses: readonly ResolvedAddress[], connectMs: number): PinnedClient {
  let socket: Socket | undefined;
  const connect = buildConnector({
    lookup: pinned(addresses),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ADDRESS_MS,
    timeout: connectMs,
  });
  const client = new Client(url.origin, {
    connect: (options, callback) => {
      // Kept, because the client does not end a connection that is still being made.
      socket = connect(options, callback) as unknown as Socket;
      readInSlices(socket);
    },
    maxHeaderSize: HEADER_BYTES_MAX,
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return {
    client,
    close: () => {
      client.destroy().catch(() => undefined);
      socket?.destroy();
    },
  };
}
