import { dialectOf } from '../core/routing/catalog.js';
import type { Json } from '../core/json/json.js';
import type { CheckCall } from './endpoint-check.js';
import type { TriedCandidate, CheckPlan } from './provider-check.js';
import { nameCredential, type Verdict } from './check-verdict.js';

/** The facts that are known before the first request. */
export interface CheckHead {
  readonly plan: CheckPlan;
  /** The displayable part of the credential; absent: there is none. */
  readonly credentialLabel?: string | undefined;
  /** Why no request is sent. */
  readonly missing?: Verdict | undefined;
}

export const works = ({ calls }: TriedCandidate): boolean => calls.every(({ verdict }) => !verdict);

/** The first line. */
export function printHead({ plan: { provider }, credentialLabel }: CheckHead): string {
  const { slug, name, baseUrl, credential, credentialSource } = provider;
  const by = credential ? `, with ${nameCredential(credentialSource, credentialLabel)}` : '';
  return `${name} (${slug}) at ${baseUrl}${by}\n`;
}

/** The line of one endpoint. */
export function printTried(tried: TriedCandidate): string {
  const { model, endpoint } = tried.candidate;
  const failed = tried.calls.find(({ verdict }) => verdict);
  const outcome = failed
    ? printFailure(failed)
    : `works (${tried.calls.map(printTime).join(', ')})${printModel(tried)}`;
  return `  ${model.id} [${endpoint.tag}, ${endpoint.upstreamModel}]: ${outcome}\n`;
}

const printTime = ({ isStreamed, latencyMs }: CheckCall): string => `${latencyMs} ms${isStreamed ? ' streamed' : ''}`;

/** Printed where the answer names another model than requested: a dated name, an alias, or a different model. */
function printModel({ candidate, calls }: TriedCandidate): string {
  const renamed = calls.find(({ model }) => model !== undefined && model !== candidate.endpoint.upstreamModel);
  return renamed ? `; it reports the model ${JSON.stringify(renamed.model)}` : '';
}

function printFailure({ isStreamed, verdict }: CheckCall): string {
  const { problem, reason } = verdict!;
  return `${isStreamed ? 'works whole, but streamed: ' : ''}${problem.toUpperCase()}: ${reason}`;
}

/** The last lines. */
export function printEnd({ plan, missing }: CheckHead, tried: readonly TriedCandidate[]): string {
  const { candidates, beyondLimit, withoutText } = plan;
  const count = tried.filter(works).length;
  const sums = missing
    ? [`No request was sent: ${missing.reason}.`]
    : [
        `${count} of ${tried.length} ${tried.length === 1 ? 'endpoint' : 'endpoints'} tried ${count === 1 ? 'works' : 'work'}.`,
      ];
  if (beyondLimit > 0)
    sums.push(`${beyondLimit} more were not tried: --limit ${candidates.length + beyondLimit} tries all.`);
  if (withoutText > 0) sums.push(`${withoutText} of models that read or answer no text were not tried.`);
  return `${sums.join('\n')}\n`;
}

/** Everything as JSON for programs, without credentials. */
export function printCheckAsJson(head: CheckHead, tried: readonly TriedCandidate[]): string {
  const { provider, beyondLimit, withoutText } = head.plan;
  const { slug, baseUrl, platform = 'direct', credentialSource } = provider;
  const report: Json = {
    provider: slug,
    base_url: baseUrl,
    platform,
    credential: provider.credential ? { source: credentialSource ?? null, label: head.credentialLabel ?? null } : null,
    problem: head.missing?.problem ?? null,
    message: head.missing?.reason ?? null,
    endpoints: tried.map((check) => ({
      model: check.candidate.model.id,
      tag: check.candidate.endpoint.tag,
      upstream_model: check.candidate.endpoint.upstreamModel,
      dialect: dialectOf(check.candidate.endpoint),
      works: works(check),
      calls: check.calls.map(({ isStreamed, status, latencyMs, verdict, model }) => ({
        streamed: isStreamed,
        works: !verdict,
        problem: verdict?.problem ?? null,
        message: verdict?.reason ?? null,
        status: status ?? null,
        latency_ms: latencyMs,
        model: model ?? null,
      })),
    })),
    not_tried: { beyond_limit: beyondLimit, without_text: withoutText },
  };
  return `${JSON.stringify(report, undefined, 2)}\n`;
}
