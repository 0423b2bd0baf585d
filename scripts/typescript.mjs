import { readFile } from 'node:fs/promises';
import { register } from 'node:module';
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';
import { transform } from '@swc/core';

// `node --import` of this file lets a process run the sources as they stand, without a build that other tests may be
// reading.

if (isMainThread) register(import.meta.url);

const SOURCE = /^\.{1,2}\/.*\.js$/;

/** Sources name one another as they will be called once they are built. */
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
