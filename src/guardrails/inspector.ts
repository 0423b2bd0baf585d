import type { ModelRequest } from '../core/conversation/request.js';
import { GatewayError } from '../core/errors.js';
import type { JsonObject } from '../core/json/json.js';
import { rewriteRequest, type TextRole } from './rewrite-request.js';
import { merged, ScanOverrun, ScanTime, type Matcher, type Span } from './scan.js';

/** What happens to what a filter finds. */
export const FILTER_ACTIONS = ['redact', 'block', 'flag'] as const;
export type FilterAction = (typeof FILTER_ACTIONS)[number];

/** One entry of router metadata's `pipeline` (docs/wire/routing-metadata.md#stages). */
export interface PipelineStage extends JsonObject {
  readonly type: 'guardrail';
  /** `content-filter`, or `regex_pi_detection`. */
  readonly name: string;
  readonly summary: string;
  readonly guardrail_id: string;
  readonly guardrail_scope: 'api-key' | 'member' | 'workspace';
  readonly data: {
    readonly action: FilterAction;
    readonly detected: boolean;
    readonly engines: readonly string[];
    /** Names of patterns: labels, never what they matched. */
    readonly patterns: readonly string[];
  };
}

/** What the content filters made of a request. */
export interface Inspection {
  /** The very same where nothing was redacted. */
  readonly request: ModelRequest;
  /** Of what was found; empty where nothing was. */
  readonly stages: readonly PipelineStage[];
  /** To be thrown before anything is held or sent, once the stages are with the trace: 403 naming the patterns. */
  readonly blocked?: Error;
}

/** A content filter of one guardrail. */
export interface ContentFilter {
  readonly guardrailId: string;
  readonly guardrailScope: PipelineStage['guardrail_scope'];
  readonly stage: 'content-filter' | 'regex_pi_detection';
  readonly action: FilterAction;
  readonly label: string;
  /** Whose words it reads. */
  readonly reads: 'everybody' | 'conversation' | 'user';
  readonly matcher: Matcher;
}

/** Filters that look for the same in the same words: searched for once. */
interface Probe {
  readonly matcher: Matcher;
  readonly reads: ContentFilter['reads'];
  readonly filters: readonly ContentFilter[];
  readonly redactsAs?: string;
  /** Where it matches matters, or by which of its rules. */
  readonly wantsAll: boolean;
}

/** What one filter found: names of patterns. */
interface Finding {
  readonly filter: ContentFilter;
  readonly patterns: ReadonlySet<string>;
}

const LABELS_SHOWN_MAX = 5;

/** Holds requests against the content filters of all guardrails that are in force. Safe to share. */
export class Inspector {
  private readonly probes: readonly Probe[];

  constructor(private readonly filters: readonly ContentFilter[]) {
    const same = new Map<Matcher, ContentFilter[][]>();
    for (const filter of filters) {
      const groups = same.get(filter.matcher) ?? [];
      same.set(filter.matcher, groups);
      const group = groups.find(([first]) => first!.reads === filter.reads);
      if (group) group.push(filter);
      else groups.push([filter]);
    }
    this.probes = [...same.values()].flat().map(probeOf);
  }

  inspect(request: ModelRequest): Inspection {
    const found = new Map<ContentFilter, Set<string>>();
    const time = new ScanTime();
    let overrun: Probe | undefined;
    const rewritten = rewriteRequest(request, (text, role) => {
      if (text === '' || overrun) return text;
      const edits: Edit[] = [];
      for (const probe of this.probes) {
        if (!reads(probe.reads, role)) continue;
        try {
          this.search(probe, text, time, found, edits);
        } catch (error) {
          if (!(error instanceof ScanOverrun)) throw error;
          overrun = probe;
          return text;
        }
      }
      return edits.length === 0 ? text : redacted(text, edits);
    });
    const findings = this.inOrder(found);
    const stages = viewStages(findings);
    if (overrun) return { request, stages, blocked: tooSlow(overrun) };
    const blocked = blockedBy(findings);
    // What is blocked goes nowhere: the caller's own words are what it is told of.
    return blocked ? { request, stages, blocked } : { request: rewritten, stages };
  }

  /** As the guardrails list their filters, whatever was found first. */
  private inOrder(found: ReadonlyMap<ContentFilter, ReadonlySet<string>>): Finding[] {
    return this.filters.flatMap((filter) => {
      const patterns = found.get(filter);
      return patterns ? [{ filter, patterns }] : [];
    });
  }

  private search(
    probe: Probe,
    text: string,
    time: ScanTime,
    found: Map<ContentFilter, Set<string>>,
    edits: Edit[],
  ): void {
    const spans = probe.matcher.find(text, time, !probe.wantsAll);
    if (spans.length === 0) return;
    for (const filter of probe.filters) {
      const patterns = found.get(filter) ?? new Set();
      found.set(filter, patterns);
      for (const { rule } of spans) patterns.add(rule ?? filter.label);
    }
    if (probe.redactsAs === undefined) return;
    for (const { start, end } of spans) edits.push({ start, end, label: probe.redactsAs });
  }
}

function probeOf(filters: readonly ContentFilter[]): Probe {
  const { matcher, reads: readsWhose, stage } = filters[0]!;
  const redacts = filters.find(({ action }) => action === 'redact');
  return {
    matcher,
    reads: readsWhose,
    filters,
    ...(redacts && { redactsAs: redacts.label }),
    wantsAll: redacts !== undefined || stage === 'regex_pi_detection',
  };
}

function reads(whose: ContentFilter['reads'], role: TextRole): boolean {
  switch (whose) {
    case 'everybody':
      return true;
    case 'conversation':
      return role !== 'system';
    case 'user':
      return role === 'user';
  }
}

interface Edit extends Span {
  readonly label: string;
}

/** The text with each found piece replaced; pieces that overlap are one, under the label of the first. */
function redacted(text: string, edits: readonly Edit[]): string {
  const pieces: string[] = [];
  let from = 0;
  for (const { start, end, label } of merged(edits)) {
    pieces.push(text.slice(from, start), `[REDACTED:${label}]`);
    from = end;
  }
  pieces.push(text.slice(from));
  return pieces.join('');
}

const VERBS: Readonly<Record<FilterAction, string>> = { block: 'Blocked', redact: 'Redacted', flag: 'Flagged' };

/** One for each guardrail, stage and action, in the order of the guardrails' filters. */
function viewStages(findings: readonly Finding[]): PipelineStage[] {
  const groups = new Map<string, { readonly filter: ContentFilter; readonly patterns: Set<string> }>();
  for (const { filter, patterns } of findings) {
    const key = `${filter.guardrailId} ${filter.stage} ${filter.action}`;
    const group = groups.get(key) ?? { filter, patterns: new Set<string>() };
    groups.set(key, group);
    for (const pattern of patterns) group.patterns.add(pattern);
  }
  return [...groups.values()].map(({ filter, patterns }) => ({
    type: 'guardrail',
    name: filter.stage,
    summary: `${VERBS[filter.action]}: ${listed(patterns)}`,
    guardrail_id: filter.guardrailId,
    guardrail_scope: filter.guardrailScope,
    data: { action: filter.action, detected: true, engines: ['regex'], patterns: [...patterns] },
  }));
}

/** docs/wire/errors.md#guardrail-blocks: a 403 whose metadata lists the patterns. */
function blockedBy(findings: readonly Finding[]): GatewayError | undefined {
  const patterns = new Set<string>();
  const reasons = new Set<string>();
  for (const { filter, patterns: matched } of findings) {
    if (filter.action !== 'block') continue;
    for (const pattern of matched) {
      patterns.add(pattern);
      reasons.add(`${filter.stage}: ${pattern}`);
    }
  }
  if (patterns.size === 0) return undefined;
  return new GatewayError('forbidden', `A guardrail blocked this request: it contains ${listed(patterns)}.`, {
    metadata: { patterns: [...patterns], reasons: [...reasons] },
  });
}

/** Closed by default: what was not read through is not sent. */
function tooSlow({ filters }: Probe): GatewayError {
  const label = filters[0]!.label;
  return new GatewayError(
    'forbidden',
    `A guardrail blocked this request: its content filters could not read it through in time (${label}). Send less text.`,
    { metadata: { patterns: [label], reasons: [`content-filter: time ran out at ${label}`] } },
  );
}

function listed(patterns: ReadonlySet<string>): string {
  const [...labels] = patterns;
  const shown = labels.slice(0, LABELS_SHOWN_MAX).join(', ');
  return labels.length > LABELS_SHOWN_MAX ? `${shown} and ${labels.length - LABELS_SHOWN_MAX} more` : shown;
}
