import { readProviders } from './catalog/read-providers.js';

/** The providers of the shipped catalog, in its order: catalog/providers.yaml. */
export const PROVIDERS = readProviders();
