import { connect } from 'node:net';
import { systemCode } from '../system-code.js';
import { backupAddress, type BackupReply, type BackupRequest } from './backup-port.js';

/** Nobody listens there: no gateway runs on the directory, or the last one was killed. */
const NOBODY = new Set(['ENOENT', 'ECONNREFUSED', 'ENOTSOCK']);

/**
 * Has the gateway that runs on a data directory copy its store.
 * @param signal a gateway that is left gives the copy up
 * @returns its answer; undefined: none runs there
 * @throws the signal's reason
 */
export async function askGateway(
  dataDir: string,
  request: BackupRequest,
  signal?: AbortSignal,
): Promise<BackupReply | undefined> {
  const address = backupAddress(dataDir);
  return address === undefined ? undefined : askAt(address, request, signal);
}

function askAt(address: string, request: BackupRequest, signal?: AbortSignal): Promise<BackupReply | undefined> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(address);
    signal?.addEventListener('abort', () => socket.destroy(signal.reason as Error), { once: true });
    socket
      .once('connect', () => socket.write(`${JSON.stringify(request)}\n`))
      .on('data', (bytes) => (text += bytes.toString()))
      .once('error', (error) => (NOBODY.has(systemCode(error) ?? '') ? resolve(undefined) : reject(error)))
      .once('end', () => {
        try {
          resolve(JSON.parse(text) as BackupReply);
        } catch {
          reject(new Error('The gateway broke off. Look whether it still runs, and ask again.'));
        }
      });
  });
}
