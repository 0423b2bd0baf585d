import type { Exclusion, ExclusionReason } from './plan.js';

/**
 * Why a model is unavailable, as codes of docs/use/errors.md#availability. Sorted by how much the caller can do about
 * it: where several apply, the last one is reported.
 */
export const AVAILABILITY_CODES = [
  'model_not_found',
  'no_endpoints',
  'constraint_filtered',
  'privacy_restricted',
  'temporarily_unavailable',
  'capacity_exhausted',
] as const;
export type AvailabilityCode = (typeof AVAILABILITY_CODES)[number];

/** The meaning of an exclusion reason for the caller. */
export interface ExclusionMeaning {
  /** For `cooling-down`: the code of a pause after faults; one after a 429 is `capacity_exhausted`. */
  readonly code: AvailabilityCode;
  /** The value of `excluded_by`, where one fits. */
  readonly excludedBy?: string;
  /** The request field that causes the exclusion. */
  readonly field?: string;
  /** Follows the endpoint's tag in a sentence: `p1 collects data`. */
  readonly words: string;
}

export const EXCLUSION_MEANINGS: Readonly<Record<ExclusionReason, ExclusionMeaning>> = {
  'unknown-model': { code: 'model_not_found', field: 'models', words: 'is not in the catalog' },
  'too-many-models': { code: 'no_endpoints', field: 'models', words: 'is beyond the last model that is tried' },
  'model-not-allowed': { code: 'constraint_filtered', field: 'model', words: 'is not among the allowed models' },
  'model-not-for-key': {
    code: 'constraint_filtered',
    field: 'model',
    words: 'is not among the models that the key may use',
  },
  'no-credential': { code: 'no_endpoints', words: 'has no credential' },
  'credential-not-for-model': { code: 'no_endpoints', words: 'has no credential for this model' },
  'not-allowed': {
    code: 'constraint_filtered',
    excludedBy: 'allowed_providers',
    field: 'provider.only',
    words: 'is not among the allowed providers',
  },
  ignored: {
    code: 'constraint_filtered',
    excludedBy: 'allowed_providers',
    field: 'provider.ignore',
    words: 'is ignored',
  },
  'not-in-order': {
    code: 'constraint_filtered',
    excludedBy: 'allowed_providers',
    field: 'provider.order',
    words: 'is not in provider.order, and fallbacks are off',
  },
  'not-first': { code: 'constraint_filtered', field: 'provider.allow_fallbacks', words: 'is not the first choice' },
  'collects-data': {
    code: 'privacy_restricted',
    excludedBy: 'data_policy:training',
    field: 'provider.data_collection',
    words: 'collects data',
  },
  'retains-data': {
    code: 'privacy_restricted',
    excludedBy: 'data_policy:zdr',
    field: 'provider.zdr',
    words: 'retains data',
  },
  'not-distillable': {
    code: 'constraint_filtered',
    field: 'provider.enforce_distillable_text',
    words: 'serves a model that may not be distilled',
  },
  quantization: {
    code: 'constraint_filtered',
    excludedBy: 'quantization',
    field: 'provider.quantizations',
    words: 'serves another quantization',
  },
  'unsupported-parameter': {
    code: 'constraint_filtered',
    excludedBy: 'require_parameters',
    field: 'provider.require_parameters',
    words: 'does not support a parameter',
  },
  'max-price': {
    code: 'constraint_filtered',
    excludedBy: 'max_price',
    field: 'provider.max_price',
    words: 'costs too much',
  },
  'context-length': {
    code: 'constraint_filtered',
    excludedBy: 'context_length',
    field: 'messages',
    words: 'has too short a context',
  },
  'max-tokens': { code: 'constraint_filtered', field: 'max_tokens', words: 'cannot answer at that length' },
  'other-task': { code: 'constraint_filtered', field: 'model', words: 'does not serve requests of this route' },
  modality: { code: 'constraint_filtered', field: 'messages', words: 'does not read this kind of content' },
  'service-tier': { code: 'no_endpoints', field: 'service_tier', words: 'is a service tier that was not requested' },
  'cooling-down': { code: 'temporarily_unavailable', words: 'is cooling down' },
  unaffordable: {
    code: 'constraint_filtered',
    field: 'max_tokens',
    words: 'may cost more than credits and limits leave',
  },
};

export const availabilityCode = ({ reason, cooling }: Exclusion): AvailabilityCode =>
  cooling?.by === 'rate-limit' ? 'capacity_exhausted' : EXCLUSION_MEANINGS[reason].code;

/** Whether the candidate would be kept if the request were shorter. */
export const isByLength = ({ reason }: Pick<Exclusion, 'reason'>): boolean =>
  reason === 'context-length' || reason === 'max-tokens';
