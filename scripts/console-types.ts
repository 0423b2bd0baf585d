// `npm run console:types`: writes console/api/schema.ts, the types of the operations that the console calls, from the
// description of the API. The description is read from the routes, without a store and without a port.
import 'reflect-metadata';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppModule } from '../src/app.module.js';
import { buildDocument } from '../src/description/build-document.js';
import { collectRoutes, type ControllerClass } from '../src/description/collect-routes.js';
import { describeFields } from '../src/description/describe-fields.js';
import { readEnvironment } from '../src/shared/read-environment.js';
import type { ProcessContext } from '../src/shared/shared.module.js';
import { CONSOLE_OPERATIONS, printConsoleTypes, type ApiDocument } from './console/print-types.js';

const ROOT = join(import.meta.dirname, '..');
const FILE = join(ROOT, 'console', 'api', 'schema.ts');

/** The facts that decorators and `register` state about a module. */
interface ModuleParts {
  readonly module?: object;
  readonly imports?: readonly (object | Promise<object>)[];
  readonly controllers?: readonly ControllerClass[];
}

/** The controllers of a module and of all that it imports, in the order of the application. */
async function controllersOf(module: object, seen = new Set<object>()): Promise<readonly ControllerClass[]> {
  const dynamic = (typeof module === 'function' ? {} : module) as ModuleParts;
  const ownClass = dynamic.module ?? module;
  if (seen.has(module)) return [];
  seen.add(module);
  const read = <T>(name: string): readonly T[] => [
    ...((Reflect.getMetadata(name, ownClass) as readonly T[] | undefined) ?? []),
    ...((dynamic[name as keyof ModuleParts] as readonly T[] | undefined) ?? []),
  ];
  const found: ControllerClass[] = [...read<ControllerClass>('controllers')];
  for (const one of read<object | Promise<object>>('imports')) found.push(...(await controllersOf(await one, seen)));
  return [...new Set(found)];
}

const { environment } = readEnvironment({}, ROOT);
// Modules read the settings alone while they are put together.
const context = { environment } as ProcessContext;
const controllers = await controllersOf(AppModule.register(context, join(ROOT, 'catalog', 'default.yaml')));
const document = describeFields(buildDocument(collectRoutes(controllers), '')) as unknown as ApiDocument;
const text = printConsoleTypes(document, CONSOLE_OPERATIONS);
if (process.argv.includes('--check')) {
  if (readFileSync(FILE, 'utf8') !== text)
    throw new Error('console/api/schema.ts is not of this description: npm run console:types');
} else writeFileSync(FILE, text);
process.exit();
