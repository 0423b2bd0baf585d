/**
 * How many fusions a request is part of: gateways tell each other by this header, so that the models of a panel ask no
 * panels of their own (docs/wire/tools-and-plugins.md#fusion). Lower case, as Node gives it.
 */
export const FUSION_DEPTH_HEADER = 'x-openrouter-fusion-depth';
