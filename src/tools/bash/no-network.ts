import type { Bash } from 'just-bash/browser';

/** The path by which bash opens a connection in a redirection. */
const CONNECTION = /^\/dev\/(?:tcp|udp)\/[^/]+\/[^/]+$/;
/** The interpreter's messages for a connection that it cannot open. */
const REFUSED =
  /^bash: (\/dev\/(?:tcp|udp)\/([^/\n]+)\/[^/\n]+): (?:cannot open redirect target|No such file or directory)$/gm;
/** A host that needs no name resolution. */
const ADDRESS = /^(?:[\d.]+|localhost|.*:.*)$/;

/**
 * Makes opening a connection fail. To the interpreter these paths are ordinary files, so that a write would look like
 * an open port.
 */
export function closeConnections({ fs }: Bash): void {
  const exists = fs.exists.bind(fs);
  const writeFile = fs.writeFile.bind(fs);
  const appendFile = fs.appendFile.bind(fs);
  const refuse = (path: string): void => {
    if (CONNECTION.test(path)) throw new Error(`ENOENT: no such file or directory, open '${path}'`);
  };
  fs.exists = async (path) => {
    refuse(path);
    return exists(path);
  };
  fs.writeFile = async (path, ...rest) => {
    refuse(path);
    return writeFile(path, ...rest);
  };
  fs.appendFile = async (path, ...rest) => {
    refuse(path);
    return appendFile(path, ...rest);
  };
}

/** Rewrites such failures to what bash prints without a network. */
export const withoutNetwork = (printed: string): string =>
  printed.replaceAll(REFUSED, (_, path: string, host: string) =>
    ADDRESS.test(host)
      ? `bash: connect: Network is unreachable\nbash: ${path}: Network is unreachable`
      : `bash: ${host}: Temporary failure in name resolution\nbash: ${path}: Invalid argument`,
  );
