// The figures of docs/operate/observability.md#metrics have their documented names, bounded labels, and one sum over
// all worker processes. Recorded figures are read back from the Prometheus text; workers are instances whose channels
// are joined by the real relay.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { ERROR_KINDS } from '../../core/errors.js';
import { ENDINGS } from '../../core/generation/ending.js';
import { ClusterMetrics } from './cluster-metrics.js';
import { Metrics, type MeasuredLeg } from './metrics.js';
import type { WatchedState } from './state-gauges.js';
import type { PrimaryChannel, PrimaryMessage, WorkerMessage } from '../worker-channel.js';

const leg = (provider: string, model = 'acme/one'): MeasuredLeg => ({ provider, model });

const valueOf = (text: string, series: string): number | undefined => {
  const line = text.split('\n').find((candidate) => candidate.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
};

describe('Metrics', () => {
  it('counts requests by route, method and status, with their duration', async () => {
    const metrics = new Metrics();
    metrics.request('/messages', 'POST', 200, 0.2, true, 'completed');
    metrics.request('/messages', 'POST', 200, 0.4, true, 'completed');
    metrics.request(undefined, 'BREW', 404, 0.001, false, 'completed');
    const text = await metrics.text();
    expect(valueOf(text, 'fairlead_requests_total{route="/messages",method="POST",status="200"}')).toBe(2);
    expect(valueOf(text, 'fairlead_requests_total{route="other",method="other",status="404"}')).toBe(1);
    expect(valueOf(text, 'fairlead_request_duration_seconds_count{route="/messages",streamed="true"}')).toBe(2);
    expect(valueOf(text, 'fairlead_request_duration_seconds_bucket{le="0.25",route="/messages",streamed="true"}')).toBe(
      1,
    );
  });

  it('counts attempts by outcome, their duration and the time to the first token', async () => {
    const metrics = new Metrics();
    metrics.attempt(leg('openai'), 'overloaded', 0.3);
    metrics.attempt(leg('openai'), 'answered', 0.7);
    metrics.firstToken('openai', 0.15);
    const text = await metrics.text();
    expect(valueOf(text, 'fairlead_upstream_attempts_total{provider="openai",outcome="overloaded"}')).toBe(1);
    expect(valueOf(text, 'fairlead_upstream_duration_seconds_sum{provider="openai"}')).toBe(1);
    expect(valueOf(text, 'fairlead_time_to_first_token_seconds_bucket{le="0.2",provider="openai"}')).toBe(1);
  });

  it('counts tokens by direction and ignores missing and invalid figures', async () => {
    const metrics = new Metrics();
    metrics.attempt(leg('a'), 'answered', 1, {
      inputTokens: 10,
      outputTokens: 5,
      cacheReadTokens: 3,
      cacheWriteTokens: 2,
      cacheWrite1hTokens: 1,
    });
    metrics.attempt(leg('a'), 'answered', 1, { outputTokens: 1 });
    metrics.attempt(leg('b'), 'answered', 1, {
      inputTokens: -1,
      outputTokens: Number.NaN,
      cacheReadTokens: Number.POSITIVE_INFINITY,
    });
    const text = await metrics.text();
    const tokens = (provider: string, direction: string) =>
      valueOf(text, `fairlead_tokens_total{provider="${provider}",direction="${direction}"}`);
    expect(['input', 'output', 'cache_read', 'cache_write'].map((direction) => tokens('a', direction))).toEqual([
      10, 6, 3, 3,
    ]);
    expect(['input', 'output', 'cache_read', 'cache_write'].map((direction) => tokens('b', direction))).toEqual([
      0, 0, 0, 0,
    ]);
  });

  it('follows open streams', async () => {
    const metrics = new Metrics();
    metrics.streamOpened();
    metrics.streamOpened();
    metrics.streamClosed();
    expect(valueOf(await metrics.text(), 'fairlead_open_streams')).toBe(1);
  });

  it('reports the delay of the event loop and the memory of the process', async () => {
    const text = await new Metrics().text();
    for (const name of [
      'nodejs_eventloop_lag_p50_seconds',
      'nodejs_eventloop_lag_p99_seconds',
      'nodejs_eventloop_lag_max_seconds',
    ]) {
      expect(text).toContain(`# TYPE ${name} gauge`);
    }
    expect(valueOf(text, 'process_resident_memory_bytes')).toBeGreaterThan(0);
  });

  it('exports series with labels known at the start with 0', async () => {
    const metrics = new Metrics();
    metrics.know([leg('acme')]);
    const text = await metrics.text();
    for (const reason of ERROR_KINDS) expect(valueOf(text, `fairlead_refusals_total{reason="${reason}"}`)).toBe(0);
    for (const series of [
      'fairlead_fallbacks_total{kind="endpoint"}',
      'fairlead_fallbacks_total{kind="model"}',
      'fairlead_spend_usd_total{provider="acme"}',
      'fairlead_operator_cost_usd_total{provider="acme"}',
      'fairlead_upstream_attempts_total{provider="acme",outcome="answered"}',
      'fairlead_upstream_attempts_total{provider="acme",outcome="rate-limited"}',
      'fairlead_upstream_duration_seconds_count{provider="acme"}',
      'fairlead_time_to_first_token_seconds_count{provider="acme"}',
      'fairlead_abandoned_calls_total{provider="acme",outcome="cut"}',
      'fairlead_tokens_total{provider="acme",direction="cache_write"}',
      'fairlead_open_streams',
      'fairlead_unseen_calls',
      'fairlead_database_statement_duration_seconds_count',
    ])
      expect([series, valueOf(text, series)]).toEqual([series, 0]);
  });

  it('exports each model from the start with 0, where models are labelled and there are not too many', async () => {
    const metrics = new Metrics({ labelsModels: true });
    metrics.know([leg('acme', 'acme/a'), leg('other', 'acme/a'), leg('acme', 'acme/b')]);
    const text = await metrics.text();
    for (const series of [
      'fairlead_spend_usd_total{provider="other",model="acme/a"}',
      'fairlead_fallbacks_total{kind="model",model="acme/b"}',
      'fairlead_upstream_attempts_total{provider="acme",outcome="answered",model="acme/b"}',
      'fairlead_tokens_total{provider="acme",direction="input",model="acme/a"}',
    ])
      expect([series, valueOf(text, series)]).toEqual([series, 0]);
    expect(text).not.toMatch(/provider="other".*model="acme\/b"/);
    const many = new Metrics({ labelsModels: true });
    many.know(Array.from({ length: 101 }, (_, index) => leg('acme', `acme/${index}`)));
    expect(await many.text()).not.toContain('model="acme/0"');
    // Later catalogs leave space for called models.
    const later = new Metrics({ labelsModels: true });
    for (const name of ['a', 'b', 'c'])
      later.know(Array.from({ length: 60 }, (_, index) => leg('acme', `${name}/${index}`)));
    for (let index = 0; index < 100; index++) later.attempt(leg('acme', `called/${index}`), 'answered', 0.1);
    const shown = await later.text();
    expect([
      shown.includes('model="b/39"'),
      shown.includes('model="b/40"'),
      shown.includes('model="called/99"'),
    ]).toEqual([true, false, true]);
    expect(shown).not.toContain('model="other"');
  });

  it('counts as refusals what this gateway refuses or fails by itself, and nothing else', async () => {
    const metrics = new Metrics();
    for (const outcome of [
      'forbidden',
      'service-unavailable',
      'completed',
      'caller-gone',
      'provider-overloaded',
    ] as const)
      metrics.request('/messages', 'POST', 200, 0.1, false, outcome);
    const text = await metrics.text();
    const counted = [...text.matchAll(/^fairlead_refusals_total\{reason="([^"]+)"\} [1-9]/gm)].map((match) => match[1]);
    expect(counted).toEqual(['forbidden', 'service-unavailable']);
  });

  it('labels models where configured, 200 of them', async () => {
    const metrics = new Metrics({ labelsModels: true });
    for (let index = 1; index <= 202; index++) metrics.attempt(leg('acme', `acme/${index}`), 'answered', 0.1);
    metrics.attempt(leg('acme', 'acme/1'), 'answered', 1, { inputTokens: 3 });
    metrics.fellBack('model', 'acme/1');
    metrics.spent(leg('acme', 'acme/201'), 0.5);
    const text = await metrics.text();
    const attempts = 'fairlead_upstream_attempts_total{provider="acme",outcome="answered",model=';
    expect(valueOf(text, `${attempts}"acme/200"}`)).toBe(1);
    expect(valueOf(text, `${attempts}"other"}`)).toBe(2);
    expect(text).not.toContain('acme/201');
    expect(valueOf(text, 'fairlead_tokens_total{provider="acme",direction="input",model="acme/1"}')).toBe(3);
    expect(valueOf(text, 'fairlead_fallbacks_total{kind="model",model="acme/1"}')).toBe(1);
    expect(valueOf(text, 'fairlead_spend_usd_total{provider="acme",model="other"}')).toBe(0.5);
  });

  it('reads state when the metrics are requested, and shows no unknown values', async () => {
    const metrics = new Metrics();
    expect(await metrics.text()).not.toMatch(/^fairlead_(?:redis_up|open_holds|catalog_info)/m);
    let holds = 3;
    let hash = 'first';
    metrics.watch('openHolds', () => [[holds]]);
    metrics.watch('catalog', () => [[1, hash]]);
    metrics.watch('redisUp', () => []);
    expect(valueOf(await metrics.text(), 'fairlead_open_holds')).toBe(3);
    [holds, hash] = [0, 'second'];
    const text = await metrics.text();
    expect(valueOf(text, 'fairlead_open_holds')).toBe(0);
    expect(text.match(/^fairlead_catalog_info\{.*$/gm)).toEqual(['fairlead_catalog_info{hash="second"} 1']);
    expect(text).not.toMatch(/^fairlead_redis_up/m);
  });

  it('puts the 201st value of a label under "other"', async () => {
    const metrics = new Metrics();
    for (let index = 1; index <= 202; index++) metrics.request(`/route-${index}`, 'GET', 200, 0.1, false, 'completed');
    const text = await metrics.text();
    expect(valueOf(text, 'fairlead_requests_total{route="/route-200",method="GET",status="200"}')).toBe(1);
    expect(text).not.toContain('/route-201');
    expect(valueOf(text, 'fairlead_requests_total{route="other",method="GET",status="200"}')).toBe(2);
  });
});

/** A primary in memory: relays as the process does, except for silent workers. */
function joinWorkers(count: number, silent: readonly number[] = []) {
  const listeners = new Map<number, (message: PrimaryMessage) => void>();
  const deliver = (id: number, message: PrimaryMessage): void => listeners.get(id)?.(message);
  const channel = (id: number): PrimaryChannel => ({
    listen: (listener) => void listeners.set(id, listener),
    send: (message: WorkerMessage) => {
      if (message.fairlead === 'metrics-answer') {
        deliver(message.asker, { fairlead: 'metrics-given', ask: message.ask, report: message.report });
        return;
      }
      for (let other = 1; other <= count; other++) {
        if (other !== id && !silent.includes(other))
          deliver(other, { fairlead: 'metrics-wanted', asker: id, ask: message.ask });
      }
      deliver(id, { fairlead: 'metrics-expect', ask: message.ask, count: count - 1 });
    },
  });
  return Array.from({ length: count }, (_, index) => {
    const metrics = new Metrics();
    return { metrics, cluster: new ClusterMetrics(metrics, channel(index + 1), 50) };
  });
}

describe('ClusterMetrics', () => {
  it('is the text of the process itself when it is alone', async () => {
    const metrics = new Metrics();
    metrics.streamOpened();
    expect(valueOf(await new ClusterMetrics(metrics).text(), 'fairlead_open_streams')).toBe(1);
  });

  it('adds up all workers, whichever is queried', async () => {
    const workers = joinWorkers(3);
    for (const { metrics } of workers) {
      metrics.streamOpened();
      metrics.request('/messages', 'POST', 200, 0.2, true, 'completed');
    }
    for (const { cluster } of workers) {
      const text = await cluster.text();
      expect(valueOf(text, 'fairlead_open_streams')).toBe(3);
      expect(valueOf(text, 'fairlead_request_duration_seconds_count{route="/messages",streamed="true"}')).toBe(3);
    }
  });

  it('does not add up shared state', async () => {
    const workers = joinWorkers(2);
    for (const [index, { metrics }] of workers.entries()) {
      metrics.watch('build', () => [[1, '1.0.0', 'v22']]);
      metrics.watch('databaseUp', () => [[index]]);
      metrics.watch('redisUp', () => [[1]]);
      metrics.watch('catalogLoadedAt', () => [[100 + index]]);
      metrics.watch('catalogRefused', () => [[index]]);
      metrics.watch('endpoints', () => [[2 + index, 'acme', 'paused']]);
      metrics.watch('openHolds', () => [[2 + index]]);
      metrics.watch('databaseConnections', () => [[1 + index, 'busy']]);
    }
    const text = await workers[0]!.cluster.text();
    expect(valueOf(text, 'fairlead_build_info{version="1.0.0",node="v22"}')).toBe(1);
    expect(valueOf(text, 'fairlead_database_up')).toBe(0);
    expect(valueOf(text, 'fairlead_redis_up')).toBe(1);
    expect(valueOf(text, 'fairlead_catalog_loaded_timestamp_seconds')).toBe(101);
    expect(valueOf(text, 'fairlead_catalog_refused')).toBe(1);
    expect(valueOf(text, 'fairlead_endpoints_unavailable{provider="acme",state="paused"}')).toBe(3);
    expect(valueOf(text, 'fairlead_open_holds')).toBe(5);
    expect(valueOf(text, 'fairlead_database_connections{state="busy"}')).toBe(3);
  });

  it('answers several questions at once, each with its own sum', async () => {
    const [first] = joinWorkers(2);
    first!.metrics.streamOpened();
    const texts = await Promise.all([first!.cluster.text(), first!.cluster.text(), first!.cluster.text()]);
    expect(texts.map((text) => valueOf(text, 'fairlead_open_streams'))).toEqual([1, 1, 1]);
  });

  it('leaves out a worker that does not answer in time', async () => {
    const workers = joinWorkers(3, [3]);
    for (const { metrics } of workers) metrics.streamOpened();
    expect(valueOf(await workers[0]!.cluster.text(), 'fairlead_open_streams')).toBe(2);
  });

  it("counts the operator's losses by provider, from 0 on", async () => {
    const metrics = new Metrics();
    metrics.attempt(leg('called'), 'answered', 1);
    expect(valueOf(await metrics.text(), 'fairlead_operator_cost_usd_total{provider="called"}')).toBe(0);
    metrics.operatorCost('one', 0.25);
    metrics.operatorCost('one', 0.5);
    metrics.operatorCost('two', 0);
    const text = await metrics.text();
    expect(text).toContain('fairlead_operator_cost_usd_total{provider="one"} 0.75');
    expect(text).toContain('fairlead_operator_cost_usd_total{provider="two"} 0');
  });
});

describe('queries of the metrics', () => {
  const root = join(__dirname, '..', '..', '..');
  const textOf = (...path: string[]): string => readFileSync(join(root, ...path), 'utf8');
  /** The allowed values of labels with enumerated values. */
  const WORDS: Readonly<Record<string, (text: string, word: string) => boolean>> = {
    event: (text, word) => valueOf(text, `fairlead_ledger_events_total{event="${word}"}`) === 0,
    outcome: (text, word) => OUTCOMES.has(word) || text.includes(`,outcome="${word}"}`),
    streamed: (_, word) => word === 'true' || word === 'false',
    status: (_, word) => /^[1-5](?:\d\d|\.\.)$/.test(word),
    job: (_, word) => word === '$job' || word === 'fairlead',
  };
  const OUTCOMES = new Set<string>(Object.values(ENDINGS).map(({ outcome }) => outcome));

  /** A registry with every series. */
  async function fullText(): Promise<string> {
    const metrics = new Metrics();
    metrics.know([leg('acme')]);
    metrics.request('/messages', 'POST', 200, 0.1, true, 'completed');
    metrics.attempt(leg('acme'), 'answered', 0.1);
    metrics.firstToken('acme', 0.1);
    metrics.abandoned('acme', 'read');
    metrics.knowEvents(['generations']);
    for (const [state, labels] of STATES_SHOWN) metrics.watch(state, () => [[1, ...labels]]);
    return metrics.text();
  }
  const STATES_SHOWN = [
    ['build', ['1.0.0', 'v22']],
    ['bytesInFlight', []],
    ['openHolds', []],
    ['spoolWaiting', []],
    ['databaseUp', []],
    ['databaseConnections', ['busy']],
    ['databaseWaiting', []],
    ['redisUp', []],
    ['catalog', ['hash']],
    ['catalogLoadedAt', []],
    ['catalogRefused', []],
    ['outboxWaiting', ['generations']],
    ['outboxOldest', ['generations']],
    ['endpoints', ['acme', 'paused']],
  ] as const satisfies readonly (readonly [WatchedState, readonly string[]])[];

  /** Names of all series with their labels. */
  async function seriesOf(): Promise<Map<string, Set<string>>> {
    // Prometheus has one of its own for each target.
    const known = new Map([['up', new Set(['job', 'instance'])]]);
    for (const [, name, labels = ''] of (await fullText()).matchAll(/^(\w+)(?:\{(.*)\})? \S+$/gm))
      known.set(name!, new Set([...labels.matchAll(/(\w+)="/g)].map((match) => match[1]!)));
    return known;
  }

  async function assertReadable(where: string, expr: string): Promise<void> {
    const known = await seriesOf();
    const text = await fullText();
    const names = expr.match(/\bup\b|\b(?:fairlead|nodejs|process)_\w+/g) ?? [];
    expect([where, names.length > 0]).toEqual([where, true]);
    for (const name of names) expect([where, name, known.has(name)]).toEqual([where, name, true]);
    for (const [, name, matchers] of expr.matchAll(/(\w+)\{([^}]*)\}/g))
      for (const [, label, words] of matchers!.matchAll(/(\w+)(?:=~|!~|!=|=)"([^"]*)"/g)) {
        expect([where, label, label === 'job' || known.get(name!)!.has(label!)]).toEqual([where, label, true]);
        for (const word of words!.split('|'))
          expect([where, label, word, WORDS[label!]?.(text, word)]).toEqual([where, label, word, true]);
      }
    for (const [, labels] of expr.matchAll(/\bby \(([^)]*)\)/g))
      for (const label of labels!.split(/, */)) {
        const isKnown = label === 'instance' || names.some((name) => known.get(name)!.has(label));
        expect([where, label, isKnown]).toEqual([where, label, true]);
      }
  }

  it('exist for every alert', async () => {
    const { groups } = parse(textOf('docs', 'operate', 'alerts.yaml')) as {
      groups: { rules: { alert: string; expr: string }[] }[];
    };
    const rules = groups.flatMap((group) => group.rules);
    expect(rules.length).toBeGreaterThan(10);
    for (const { alert, expr } of rules) await assertReadable(alert, expr);
    // A gateway that is gone has no other series.
    expect(rules.map(({ expr }) => expr)).toContain('up{job="fairlead"} == 0');
  });

  it('exist for every panel of the dashboard, and every metric of the gateway has a panel', async () => {
    interface Panel {
      readonly title: string;
      readonly targets?: readonly { readonly expr: string }[];
    }
    const { panels } = JSON.parse(textOf('deploy', 'grafana', 'fairlead.json')) as { panels: readonly Panel[] };
    const queries = panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [title, expr] as const));
    for (const [title, expr] of queries) await assertReadable(title, expr);
    const shown = queries.map(([, expr]) => expr).join('\n');
    for (const [, name] of (await fullText()).matchAll(/^# TYPE (fairlead_\w+) /gm)) expect(shown).toContain(name);
  });
});
