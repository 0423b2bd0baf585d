import { constants, Script } from 'node:vm';

/** Loads an ES module through Node itself, as its users do, outside of the tests' environment. */
export const importNatively = new Script('(name) => import(name)', {
  importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
}).runInThisContext() as <Module>(name: string) => Promise<Module>;
