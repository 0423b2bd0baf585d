import { createHash } from 'node:crypto';

// Sources and packages are loaded by Node itself, once per worker (`environment.mjs`), instead of by jest for each test
// file: to jest, each of them is this one line. Modules that jest loads before the first test file are unaffected.
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
