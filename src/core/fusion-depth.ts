/**
 * The number of fusions that a request is nested in: gateways send it in this header, so that the models of a panel
 * call no panels of their own (docs/use/plugins/fusion.md). Lower case, as Node provides it.
 */
export const FUSION_DEPTH_HEADER = 'x-openrouter-fusion-depth';
