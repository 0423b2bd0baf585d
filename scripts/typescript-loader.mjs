import { readFile } from 'node:fs/promises';
import { register } from 'node:module';
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';
import { transform } from '@swc/core';

// `node --import` of this file runs TypeScript sources directly, without a build that other tests may be reading.

if (isMainThread) register(import.meta.url);

const SOURCE = /^\.{1,2}\/.*\.js$/;

/** Sources import one another under the names of the built files. */
export function resolve(specifier, context, next) {
  const isSource = context.parentURL?.endsWith('.ts') && SOURCE.test(specifier);
  return next(isSource ? specifier.replace(/\.js$/, '.ts') : specifier, context);
}

export async function load(url, context, next) {
  if (!url.endsWith('.ts')) return next(url, context);
  const { code } = await transform(await readFile(fileURLToPath(url), 'utf8'), {
    filename: fileURLToPath(url),
    jsc: {
      parser: { syntax: 'typescript', decorators: true },
      transform: { legacyDecorator: true, decoratorMetadata: true },
      target: 'es2022',
    },
    module: { type: 'es6' },
  });
  return { format: 'module', source: code, shortCircuit: true };
}
