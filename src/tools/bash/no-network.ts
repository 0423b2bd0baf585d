import type { Bash } from 'just-bash/browser';

/** A file by which bash opens a connection in a redirection. */
const CONNECTION = /^\/dev\/(?:tcp|udp)\/[^/]+\/[^/]+$/;
/** What the interpreter prints where it cannot open one. */
const REFUSED =
  /^bash: (\/dev\/(?:tcp|udp)\/([^/\n]+)\/[^/\n]+): (?:cannot open redirect target|No such file or directory)$/gm;
/** A host that no resolver has to be consulted for. */
const ADDRESS = /^(?:[\d.]+|localhost|.*:.*)$/;

/**
 * To the interpreter files of connections are files like any other, and writing to one would look like an open port.
 * Here nothing can be opened there.
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

/** What was printed of such a failure, as bash prints it where there is no network. */
export const withoutNetwork = (printed: string): string =>
  printed.replaceAll(REFUSED, (_, path: string, host: string) =>
    ADDRESS.test(host)
      ? `bash: connect: Network is unreachable\nbash: ${path}: Network is unreachable`
      : `bash: ${host}: Temporary failure in name resolution\nbash: ${path}: Invalid argument`,
  );
