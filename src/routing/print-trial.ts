import { dialectOf } from '../core/routing/catalog.js';
import type { Json } from '../core/json/json.js';
import type { TrialCall } from './endpoint-trial.js';
import type { TriedPlace, TrialPlan } from './provider-trial.js';
import { nameCredential, type Verdict } from './trial-verdict.js';

/** What is known before the first request. */
export interface TrialHead {
  readonly plan: TrialPlan;
  /** The displayable part of the credential; absent: there is none. */
  readonly credentialLabel?: string | undefined;
  /** Why no request is sent. */
  readonly missing?: Verdict | undefined;
}

export const works = ({ calls }: TriedPlace): boolean => calls.every(({ verdict }) => !verdict);

/** The first line. */
export function printHead({ plan: { provider }, credentialLabel }: TrialHead): string {
  const { slug, name, baseUrl, credential, credentialSource } = provider;
  const by = credential ? `, with ${nameCredential(credentialSource, credentialLabel)}` : '';
  return `${name} (${slug}) at ${baseUrl}${by}\n`;
}

/** The line of one endpoint. */
export function printTried(tried: TriedPlace): string {
  const { model, endpoint } = tried.place;
  const failed = tried.calls.find(({ verdict }) => verdict);
  const outcome = failed
    ? printFailure(failed)
    : `works (${tried.calls.map(printTime).join(', ')})${printModel(tried)}`;
  return `  ${model.id} [${endpoint.tag}, ${endpoint.upstreamModel}]: ${outcome}\n`;
}

const printTime = ({ isStreamed, latencyMs }: TrialCall): string => `${latencyMs} ms${isStreamed ? ' streamed' : ''}`;

/** Printed where the answer names another model than requested: a dated name, an alias, or a different model. */
function printModel({ place, calls }: TriedPlace): string {
  const other = calls.find(({ model }) => model !== undefined && model !== place.endpoint.upstreamModel);
  return other ? `; it reports the model ${JSON.stringify(other.model)}` : '';
}

function printFailure({ isStreamed, verdict }: TrialCall): string {
  const { problem, words } = verdict!;
  return `${isStreamed ? 'works whole, but streamed: ' : ''}${problem.toUpperCase()}: ${words}`;
}

/** The last lines. */
export function printEnd({ plan, missing }: TrialHead, tried: readonly TriedPlace[]): string {
  const { places, beyondLimit, withoutText } = plan;
  const count = tried.filter(works).length;
  const sums = missing
    ? [`No request was sent: ${missing.words}.`]
    : [
        `${count} of ${tried.length} ${tried.length === 1 ? 'endpoint' : 'endpoints'} tried ${count === 1 ? 'works' : 'work'}.`,
      ];
  if (beyondLimit > 0)
    sums.push(`${beyondLimit} more were not tried: --limit ${places.length + beyondLimit} tries all.`);
  if (withoutText > 0) sums.push(`${withoutText} of models that read or answer no text were not tried.`);
  return `${sums.join('\n')}\n`;
}

/** Everything as JSON for programs, without credentials. */
export function printTrialAsJson(head: TrialHead, tried: readonly TriedPlace[]): string {
  const { provider, beyondLimit, withoutText } = head.plan;
  const { slug, baseUrl, platform = 'direct', credentialSource } = provider;
  const report: Json = {
    provider: slug,
    base_url: baseUrl,
    platform,
    credential: provider.credential ? { source: credentialSource ?? null, label: head.credentialLabel ?? null } : null,
    problem: head.missing?.problem ?? null,
    message: head.missing?.words ?? null,
    endpoints: tried.map((one) => ({
      model: one.place.model.id,
      tag: one.place.endpoint.tag,
      upstream_model: one.place.endpoint.upstreamModel,
      dialect: dialectOf(one.place.endpoint),
      works: works(one),
      calls: one.calls.map(({ isStreamed, status, latencyMs, verdict, model }) => ({
        streamed: isStreamed,
        works: !verdict,
        problem: verdict?.problem ?? null,
        message: verdict?.words ?? null,
        status: status ?? null,
        latency_ms: latencyMs,
        model: model ?? null,
      })),
    })),
    not_tried: { beyond_limit: beyondLimit, without_text: withoutText },
  };
  return `${JSON.stringify(report, undefined, 2)}\n`;
}
