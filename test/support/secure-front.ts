import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createServer } from 'node:tls';

/** TLS in front of a server of this machine, with a self-signed certificate for some names. */
export interface SecureFront {
  readonly port: number;
  /** File of the certificate, for clients that should trust it. */
  readonly certificate: string;
  close(): Promise<void>;
}

/** @param folder for the certificate */
export async function startSecureFront(folder: string, target: number, names: readonly string[]): Promise<SecureFront> {
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  execFileSync(
    'openssl',
    ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2',
     '-keyout', key, '-out', certificate, '-subj', '/CN=front',
     '-addext', `subjectAltName=${names.map((name) => `DNS:${name}`).join(',')}`],
    { stdio: 'ignore' },
  ); // oxfmt-ignore
  const server = createServer({ key: readFileSync(key), cert: readFileSync(certificate) }, (socket) => {
    const onward = connect({ port: target, host: '127.0.0.1' });
    socket.on('error', () => onward.destroy());
    onward.on('error', () => socket.destroy());
    socket.pipe(onward).pipe(socket);
  });
  await once(server.listen(0), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    certificate,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
