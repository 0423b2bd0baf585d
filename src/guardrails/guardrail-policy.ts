import { ZDR_AUTHORS, type RoutingPolicy } from '../core/routing/route-inputs.js';
import { BUILTIN_FILTERS, PROMPT_INJECTION } from './builtin-filters.js';
import { compilePattern } from './custom-pattern.js';
import type { GuardrailEntity } from './guardrail.entity.js';
import type { EffectiveGuardrail } from './guardrails.repository.js';
import type { ContentFilter, PipelineStage } from './inspector.js';

/** The routing policy of a guardrail; undefined when it restricts nothing. */
export function readPolicy(guardrail: GuardrailEntity): RoutingPolicy | undefined {
  const policy: RoutingPolicy = {
    ...(guardrail.allowedProviders && { only: guardrail.allowedProviders }),
    ...(guardrail.ignoredProviders && { ignore: guardrail.ignoredProviders }),
    ...(guardrail.allowedModels && { onlyModels: guardrail.allowedModels }),
    ...(guardrail.ignoredModels && { ignoreModels: guardrail.ignoredModels }),
    ...(refusesTraining(guardrail) && { denyDataCollection: true }),
    ...readRetention(guardrail),
  };
  return Object.keys(policy).length === 0 ? undefined : policy;
}

/**
 * The catalog knows whether a provider collects data, but neither the purpose nor from whom: any of the three refuses
 * it for all.
 */
const refusesTraining = (guardrail: GuardrailEntity): boolean =>
  guardrail.enableFreeModelPublication === false ||
  guardrail.enableFreeModelTraining === false ||
  guardrail.enablePaidModelTraining === false;

/** A setting for one author precedes the setting for all. */
function readRetention(guardrail: GuardrailEntity): Pick<RoutingPolicy, 'zeroDataRetention'> {
  const forAll = guardrail.enforceZdr ?? false;
  const ofAuthor: Readonly<Record<(typeof ZDR_AUTHORS)[number] | '*', boolean | null>> = {
    anthropic: guardrail.enforceZdrAnthropic,
    openai: guardrail.enforceZdrOpenai,
    google: guardrail.enforceZdrGoogle,
    'x-ai': guardrail.enforceZdrXai,
    '*': guardrail.enforceZdrOther,
  };
  const all = Object.entries(ofAuthor);
  const authors = all.filter(([, isEnforced]) => isEnforced ?? forAll).map(([author]) => author);
  if (authors.length === 0) return {};
  return { zeroDataRetention: authors.length === all.length ? true : authors };
}

const SCOPES: Readonly<Record<EffectiveGuardrail['through'], PipelineStage['guardrail_scope']>> = {
  key: 'api-key',
  member: 'member',
  workspace: 'workspace',
};

/**
 * Compiles the content filters of a guardrail. Injection filters do not read system instructions, because the operator
 * writes them.
 */
export function readFilters(
  guardrail: Pick<GuardrailEntity, 'id' | 'contentFilters' | 'contentFilterBuiltins'>,
  through: EffectiveGuardrail['through'],
): ContentFilter[] {
  const whose = { guardrailId: guardrail.id, guardrailScope: SCOPES[through] };
  const builtins = (guardrail.contentFilterBuiltins ?? []).map(({ slug, action, scan_scope }): ContentFilter => {
    const isInjection = slug === PROMPT_INJECTION;
    return {
      ...whose,
      ...BUILTIN_FILTERS[slug],
      stage: isInjection ? 'regex_pi_detection' : 'content-filter',
      action,
      reads: !isInjection ? 'everybody' : scan_scope === 'user_only' ? 'user' : 'conversation',
    };
  });
  const custom = (guardrail.contentFilters ?? []).map(({ pattern, action, label }, index): ContentFilter => ({
    ...whose,
    stage: 'content-filter',
    action,
    label: label ?? `custom-${index + 1}`,
    reads: 'everybody',
    matcher: compilePattern(pattern),
  }));
  return [...builtins, ...custom];
}
