import { connect } from 'node:net';
import { systemCode } from '../system-code.js';
import { backupAddress, type BackupReply, type BackupRequest } from './backup-port.js';

/** No process listens there: no gateway runs on the directory, or the last one was killed. */
const UNREACHABLE = new Set(['ENOENT', 'ECONNREFUSED', 'ENOTSOCK']);

/**
 * Requests a copy of the store from the gateway that runs on a data directory.
 * @param signal when it aborts, the gateway cancels the copy
 * @returns its answer; undefined: none runs there
 * @throws the signal's reason
 */
export async function requestCopy(
  dataDir: string,
  request: BackupRequest,
  signal?: AbortSignal,
): Promise<BackupReply | undefined> {
  const address = backupAddress(dataDir);
  return address === undefined ? undefined : requestAt(address, request, signal);
}

function requestAt(address: string, request: BackupRequest, signal?: AbortSignal): Promise<BackupReply | undefined> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(address);
    signal?.addEventListener('abort', () => socket.destroy(signal.reason as Error), { once: true });
    socket
      .once('connect', () => socket.write(`${JSON.stringify(request)}\n`))
      .on('data', (bytes) => (text += bytes.toString()))
      .once('error', (error) => (UNREACHABLE.has(systemCode(error) ?? '') ? resolve(undefined) : reject(error)))
      .once('end', () => {
        try {
          resolve(JSON.parse(text) as BackupReply);
        } catch {
          reject(new Error('The gateway ended the connection. Check that it still runs, and try again.'));
        }
      });
  });
}
