import { Injectable } from '@nestjs/common';
import type { Reach } from '../core/caller.js';
import type { CancelSignal } from '../core/cancellation.js';
import type { ModelRequest } from '../core/conversation/request.js';
import { described, nullable, object, oneOf, rows, text, titled, type Static } from '../shared/http/schema.js';
import { assertFilters } from './assert-filters.js';
import type { FilterTerms } from './guardrail-bodies.dto.js';
import { readFilters } from './guardrail-policy.js';
import { GuardrailsService } from './guardrails.service.js';
import { FILTER_ACTIONS, Inspector, type FilterAction, type Inspection } from './inspector.js';

const OUTCOMES = ['passed', 'flagged', 'redacted', 'blocked'] as const;

/** The result of the content filters of a guardrail for a text. */
export const guardrailTrialView = titled(
  'guardrail-trial',
  object({
    outcome: oneOf(OUTCOMES),
    text: described('As a model would read it; null where it is blocked.', nullable(text())),
    message: described('The error that a caller would get; null where it is not blocked.', nullable(text())),
    findings: described(
      'One for each name and action with a match.',
      rows(
        object({
          name: described('As in `router_metadata.pipeline`: `content-filter` or `regex_pi_detection`.', text()),
          action: oneOf(FILTER_ACTIONS),
          patterns: described('Labels of the filters that found something.', rows(text())),
        }),
      ),
    ),
  }),
);
export type GuardrailTrialView = Static<typeof guardrailTrialView>;

/** Tries the content filters of guardrails. */
@Injectable()
export class GuardrailTrial {
  constructor(private readonly guardrails: GuardrailsService) {}

  /**
   * Tries a text as that of a user in a request, by the way that requests take. Nothing is sent or recorded.
   * @param replacing filters instead of the stored ones
   * @param signal ends it with its reason
   * @throws GatewayError `not-found`; `invalid-request` for filters that cannot be enforced
   */
  async run(
    reach: Reach,
    id: string,
    replacing: FilterTerms,
    tried: string,
    signal: CancelSignal,
  ): Promise<GuardrailTrialView> {
    const stored = await this.guardrails.get(reach, id);
    const filters = {
      id: stored.id,
      contentFilters: replacing.contentFilters === undefined ? stored.contentFilters : replacing.contentFilters,
      contentFilterBuiltins:
        replacing.contentFilterBuiltins === undefined ? stored.contentFilterBuiltins : replacing.contentFilterBuiltins,
    };
    assertFilters(filters);
    return judged(await new Inspector(readFilters(filters, 'key')).inspect(requestWith(tried), signal));
  }
}

function judged({ request, stages, blocked }: Inspection): GuardrailTrialView {
  const findings = stages.map(({ name, data: { action, patterns } }) => ({ name, action, patterns }));
  if (blocked) return { outcome: 'blocked', text: null, message: blocked.message, findings };
  const actions = new Set(findings.map(({ action }) => action));
  return { outcome: outcomeOf(actions), text: textOf(request), message: null, findings };
}

function outcomeOf(actions: ReadonlySet<FilterAction>): (typeof OUTCOMES)[number] {
  if (actions.has('redact')) return 'redacted';
  return actions.has('flag') ? 'flagged' : 'passed';
}

const requestWith = (tried: string): ModelRequest => ({
  model: '',
  system: [],
  messages: [{ role: 'user', content: [{ type: 'text', text: tried }] }],
  stream: false,
  sampling: {},
  tools: [],
  preferences: {},
  plugins: [],
  betas: [],
});

function textOf({ messages: [message] }: ModelRequest): string {
  const block = message!.content[0]!;
  if (block.type !== 'text') throw new Error('The tried text is no text any more.');
  return block.text;
}
