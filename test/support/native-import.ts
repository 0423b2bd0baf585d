import { constants, Script } from 'node:vm';

/** Loads an ES module by Node itself, as its users load it, outside of the tests' own world. */
export const importNatively = new Script('(name) => import(name)', {
  importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
}).runInThisContext() as <Module>(name: string) => Promise<Module>;
