// Goal: this release of Node knows every engine flag that the gateway sets. Method: a process that sets them all; V8
// reports an unknown flag on standard error and ignores it.
import { execFile } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { compiledSource } from './support/compiled-source.js';

it('sets no flag that the engine does not know', async () => {
  const module = pathToFileURL(compiledSource('bootstrap/engine-flags.js')).href;
  const code = `const { compileForRequests } = await import('${module}'); compileForRequests(); console.log('set');`;
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code]);
  expect({ stdout, stderr }).toEqual({ stdout: 'set\n', stderr: '' });
});
