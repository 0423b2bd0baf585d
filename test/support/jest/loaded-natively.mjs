import { createHash } from 'node:crypto';

// Sources and packages are not loaded by jest, once for each test file, but by Node itself, once for each worker
// (`environment.mjs`): to jest, each of them is this one line. What jest loads before there is a test file stays what
// it is.
const isTestFile = () => '__LOAD__' in globalThis;

export default {
  process: (source, path) => ({
    code: isTestFile() ? `module.exports = __LOAD__(${JSON.stringify(path)});` : source,
  }),
  getCacheKey: (source, path) =>
    createHash('sha256')
      .update(JSON.stringify([path, isTestFile() || source]))
      .digest('hex'),
};
