import type { CancelSignal } from '../core/cancellation.js';
import type { ModelRequest } from '../core/conversation/request.js';
import { GatewayError } from '../core/errors.js';
import type { JsonObject } from '../core/json/json.js';
import { yieldToEventLoop } from '../core/yield-to-event-loop.js';
import { applyEdits, Edits } from './apply-edits.js';
import { Passages, type Passage, type TextRole } from './passages.js';
import { TextRedactions } from './text-redactions.js';
import { findInPieces, ScanOverrun, ScanTime, type Matcher, type Span } from '../core/text/scan.js';
import { joinNeighbours } from './joined-texts.js';
import { readingsOf } from '../core/text/visible-text.js';

/** Actions of a content filter on its findings. */
export const FILTER_ACTIONS = ['redact', 'block', 'flag'] as const;
export type FilterAction = (typeof FILTER_ACTIONS)[number];

/** One entry of router metadata's `pipeline` (docs/use/routing-metadata.md#stages). */
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
    /** Names of patterns: labels, never the matched text. */
    readonly patterns: readonly string[];
    /** Duration of the whole inspection, by all filters. */
    readonly milliseconds: number;
  };
  /** Filters call no paid service. */
  readonly cost_usd: 0;
}

/** The result of a request's content filters. */
export interface Inspection {
  /** The identical object where nothing was redacted. */
  readonly request: ModelRequest;
  /** One stage for each finding; empty where there is none. */
  readonly stages: readonly PipelineStage[];
  /**
   * Error that the caller of the inspector throws before anything is held or sent, once the stages are in the trace:
   * 403 naming the patterns.
   */
  readonly blocked?: Error;
}

/** A content filter of one guardrail. */
export interface ContentFilter {
  readonly guardrailId: string;
  readonly guardrailScope: PipelineStage['guardrail_scope'];
  readonly stage: 'content-filter' | 'regex_pi_detection';
  readonly action: FilterAction;
  readonly label: string;
  /** The speakers whose texts it reads. */
  readonly reads: 'everybody' | 'conversation' | 'user';
  readonly matcher: Matcher;
}

/** Filters that search for the same in the same texts: searched for once. */
interface Probe {
  readonly matcher: Matcher;
  readonly reads: ContentFilter['reads'];
  readonly filters: readonly ContentFilter[];
  readonly redactsAs?: string;
  /** The positions of matches, or the matching rules, are needed. */
  readonly wantsAll: boolean;
}

/** The findings of one filter: names of patterns. */
interface Finding {
  readonly filter: ContentFilter;
  readonly patterns: ReadonlySet<string>;
}

const LABELS_SHOWN_MAX = 5;
/** Milliseconds after which the inspection yields to the event loop. */
const TURN_MS = 5;
/** Found pieces that are processed in one step. */
const SPANS_STEP = 1_024;
/** Texts of one request that are remembered, so as not to be searched twice: large tables grow slowly. */
const KNOWN_MAX = 50_000;

/** Checks requests with the content filters of all guardrails in force. Safe to share. */
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

  /**
   * Yields to the event loop every few milliseconds.
   * @param signal ends it with its reason
   */
  async inspect(request: ModelRequest, signal: CancelSignal): Promise<Inspection> {
    if (request.task?.kind === 'embeddings' && request.task.tokens)
      return { request, stages: [], blocked: unreadable() };
    const reading = new RequestInspection(this.probes);
    const steps = reading.steps(request);
    for (;;) {
      const step = steps.next();
      if (step.done) return this.judge(request, step.value, reading);
      if (reading.time.turnMs() < TURN_MS) continue;
      reading.time.endTurn();
      await yieldToEventLoop();
      signal.throwIfAborted();
      reading.time.beginTurn();
    }
  }

  private judge(
    request: ModelRequest,
    rewritten: ModelRequest,
    { found, uncut, overrun, beganAt }: RequestInspection,
  ): Inspection {
    const findings = this.inOrder(found);
    const blocked = overrun ? tooSlow(overrun) : blockedBy(findings, uncut);
    const milliseconds = Math.round(performance.now() - beganAt);
    const stages = viewStages(findings, milliseconds, blocked ? uncut : undefined);
    // A blocked request is not sent: the error refers to the caller's original text.
    return blocked ? { request, stages, blocked } : { request: rewritten, stages };
  }

  /** Sorts findings in the order of the guardrails' filters. */
  private inOrder(found: ReadonlyMap<ContentFilter, ReadonlySet<string>>): Finding[] {
    return this.filters.flatMap((filter) => {
      const patterns = found.get(filter);
      return patterns ? [{ filter, patterns }] : [];
    });
  }
}

/** Only the tokenizer of its model would show the text. */
const unreadable = (): GatewayError =>
  new GatewayError('forbidden', 'input: the content filters of this request cannot read token ids; send text instead');

/** The findings of one probe in one text. */
interface Hits {
  readonly probe: Probe;
  readonly spans: readonly Span[];
}

/** The inspection of one request. */
class RequestInspection {
  readonly time = new ScanTime();
  readonly beganAt = performance.now();
  readonly found = new Map<ContentFilter, Set<string>>();
  /** Filters that had to redact a text that cannot be cut. */
  readonly uncut = new Set<ContentFilter>();
  overrun?: Probe;
  private readonly edits = new Edits();
  /** Hits by speaker: a text in the neutral value and on the wire is searched once. */
  private readonly known = new Map<TextRole, Map<string, readonly Hits[]>>();

  constructor(private readonly probes: readonly Probe[]) {}

  /** @returns the request as it may be sent, where nothing blocks it */
  *steps(request: ModelRequest): Generator<void, ModelRequest, undefined> {
    const passages = new Passages();
    for (const passage of passages.of(request)) {
      if (passage) yield* this.read(passage);
      if (this.overrun) return request;
      yield;
    }
    return this.edits.size === 0 ? request : yield* applyEdits(request, this.edits, passages.embedded);
  }

  private *read({ role, texts }: Passage): Generator<void, void, undefined> {
    const redactions: TextRedactions[] = [];
    for (const { text, isFixed } of texts) {
      const own = new TextRedactions();
      redactions.push(own);
      for (const { probe, spans } of yield* this.search(text, role)) yield* this.take(probe, spans, isFixed, own);
      yield;
    }
    if (texts.length > 1) {
      for (const joined of yield* joinNeighbours(texts.map(({ text }) => text))) {
        for (const { probe, spans } of yield* this.find(joined.text, role)) {
          for (const span of spans) {
            for (const { index, ...piece } of joined.across(span)) {
              yield* this.take(probe, [piece], texts[index]!.isFixed, redactions[index]!);
            }
            yield;
          }
        }
        yield;
      }
    }
    for (const [index, { text, locations }] of texts.entries()) {
      if (redactions[index]!.isEmpty) continue;
      const next = yield* redactions[index]!.made(text);
      for (const location of locations) this.edits.set(location, next);
      yield;
    }
  }

  private *take(
    probe: Probe,
    spans: readonly Span[],
    isFixed: boolean,
    redactions: TextRedactions,
  ): Generator<void, void, undefined> {
    for (const filter of probe.filters) {
      const patterns = this.found.get(filter) ?? new Set();
      this.found.set(filter, patterns);
      for (const [index, { rule }] of spans.entries()) {
        if (index % SPANS_STEP === SPANS_STEP - 1) yield;
        patterns.add(rule ?? filter.label);
      }
      if (isFixed && filter.action === 'redact') this.uncut.add(filter);
    }
    if (probe.redactsAs === undefined || isFixed) return;
    for (const [index, span] of spans.entries()) {
      if (index % SPANS_STEP === SPANS_STEP - 1) yield;
      redactions.add(span, probe.redactsAs);
    }
  }

  /** Searches the text as it is written, and as its reader sees it. */
  private *search(text: string, role: TextRole): Generator<void, readonly Hits[], undefined> {
    let known = this.known.get(role);
    if (!known) this.known.set(role, (known = new Map<string, readonly Hits[]>()));
    const before = known.get(text);
    if (before) return before;
    const hits = [...(yield* this.find(text, role))];
    for (const visible of yield* readingsOf(text)) {
      for (const { probe, spans } of yield* this.find(visible.text, role)) {
        const originals: Span[] = [];
        for (const span of spans) {
          originals.push(visible.original(span));
          if (originals.length % SPANS_STEP === 0) yield;
        }
        hits.push({ probe, spans: originals });
      }
    }
    if (known.size < KNOWN_MAX) known.set(text, hits);
    return hits;
  }

  private *find(text: string, role: TextRole): Generator<void, readonly Hits[], undefined> {
    this.time.grant(text.length);
    const hits: Hits[] = [];
    if (text === '' || this.overrun) return hits;
    for (const probe of this.probes) {
      if (!reads(probe.reads, role)) continue;
      try {
        const spans = yield* findInPieces(probe.matcher, text, this.time, !probe.wantsAll);
        if (spans.length > 0) hits.push({ probe, spans });
      } catch (error) {
        if (!(error instanceof ScanOverrun)) throw error;
        this.overrun = probe;
        return hits;
      }
    }
    return hits;
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

const VERBS: Readonly<Record<FilterAction, string>> = { block: 'Blocked', redact: 'Redacted', flag: 'Flagged' };

const verbOf = ({ action }: ContentFilter, uncut: ReadonlySet<ContentFilter> | undefined): string =>
  action === 'redact' && uncut ? 'Found' : VERBS[action];

/**
 * One stage for each guardrail, stage and action, in the order of the guardrails' filters.
 * @param uncut where the request is blocked, so that nothing is redacted: the filters that block because of a text that
 *   they cannot cut
 */
function viewStages(
  findings: readonly Finding[],
  milliseconds: number,
  uncut: ReadonlySet<ContentFilter> | undefined,
): PipelineStage[] {
  const groups = new Map<string, { readonly filter: ContentFilter; readonly patterns: Set<string>; verb: string }>();
  for (const { filter, patterns } of findings) {
    const key = `${filter.guardrailId} ${filter.stage} ${filter.action}`;
    const group = groups.get(key) ?? { filter, patterns: new Set<string>(), verb: verbOf(filter, uncut) };
    groups.set(key, group);
    if (uncut?.has(filter)) group.verb = VERBS.block;
    for (const pattern of patterns) group.patterns.add(pattern);
  }
  return [...groups.values()].map(({ filter, patterns, verb }) => ({
    type: 'guardrail',
    name: filter.stage,
    summary: `${verb}: ${listed(patterns)}`,
    guardrail_id: filter.guardrailId,
    guardrail_scope: filter.guardrailScope,
    data: { action: filter.action, detected: true, engines: ['regex'], patterns: [...patterns], milliseconds },
    cost_usd: 0,
  }));
}

const NOT_CUT = ' in a name, a number, an id, an address or signed reasoning, which cannot be redacted';

/** docs/use/errors.md#guardrail-blocks: a 403 whose metadata lists the patterns. */
function blockedBy(findings: readonly Finding[], uncut: ReadonlySet<ContentFilter>): GatewayError | undefined {
  const patterns = new Set<string>();
  const reasons = new Set<string>();
  for (const { filter, patterns: matched } of findings) {
    if (filter.action !== 'block' && !uncut.has(filter)) continue;
    for (const pattern of matched) {
      patterns.add(pattern);
      reasons.add(`${filter.stage}: ${pattern}${filter.action === 'block' ? '' : NOT_CUT}`);
    }
  }
  if (patterns.size === 0) return undefined;
  return new GatewayError('forbidden', `A guardrail blocked this request: it contains ${listed(patterns)}.`, {
    metadata: { patterns: [...patterns], reasons: [...reasons] },
  });
}

/** Fails closed: a request that was not read to the end is not sent. */
function tooSlow({ filters }: Probe): GatewayError {
  const label = filters[0]!.label;
  return new GatewayError(
    'forbidden',
    `A guardrail blocked this request: its content filters ran out of time (${label}). Send less text.`,
    { metadata: { patterns: [label], reasons: [`content-filter: time ran out at ${label}`] } },
  );
}

function listed(patterns: ReadonlySet<string>): string {
  const [...labels] = patterns;
  const shown = labels.slice(0, LABELS_SHOWN_MAX).join(', ');
  return labels.length > LABELS_SHOWN_MAX ? `${shown} and ${labels.length - LABELS_SHOWN_MAX} more` : shown;
}
