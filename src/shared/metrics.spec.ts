// Goal: the figures of docs/operating.md#metrics under their names, with bounded labels, and one sum over all
// worker processes. Method: record, read the Prometheus text back; workers are instances whose channels are
// joined by the real relay.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { ClusterMetrics } from './cluster-metrics.js';
import { Metrics } from './metrics.js';
import type { PrimaryChannel, PrimaryMessage, WorkerMessage } from './worker-channel.js';

const valueOf = (text: string, series: string): number | undefined => {
  const line = text.split('\n').find((candidate) => candidate.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
};

describe('Metrics', () => {
  it('counts requests by route, method and status, with their duration', async () => {
    const metrics = new Metrics();
    metrics.request('/messages', 'POST', 200, 0.2, true);
    metrics.request('/messages', 'POST', 200, 0.4, true);
    metrics.request(undefined, 'BREW', 404, 0.001, false);
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
    metrics.attempt('openai', 'overloaded', 0.3);
    metrics.attempt('openai', 'answered', 0.7);
    metrics.firstToken('openai', 0.15);
    const text = await metrics.text();
    expect(valueOf(text, 'fairlead_upstream_attempts_total{provider="openai",outcome="overloaded"}')).toBe(1);
    expect(valueOf(text, 'fairlead_upstream_duration_seconds_sum{provider="openai"}')).toBe(1);
    expect(valueOf(text, 'fairlead_time_to_first_token_seconds_bucket{le="0.2",provider="openai"}')).toBe(1);
  });

  it('counts tokens by direction and passes over what was not said or makes no sense', async () => {
    const metrics = new Metrics();
    metrics.tokens('a', {
      inputTokens: 10,
      outputTokens: 5,
      cacheReadTokens: 3,
      cacheWriteTokens: 2,
      cacheWrite1hTokens: 1,
    });
    metrics.tokens('a', { outputTokens: 1 });
    metrics.tokens('b', { inputTokens: -1, outputTokens: Number.NaN, cacheReadTokens: Number.POSITIVE_INFINITY });
    const text = await metrics.text();
    const tokens = (provider: string, direction: string) =>
      valueOf(text, `fairlead_tokens_total{provider="${provider}",direction="${direction}"}`);
    expect(['input', 'output', 'cache_read', 'cache_write'].map((direction) => tokens('a', direction))).toEqual([
      10, 6, 3, 3,
    ]);
    expect(['input', 'output', 'cache_read', 'cache_write'].map((direction) => tokens('b', direction))).toEqual(
      Array.from({ length: 4 }, () => undefined),
    );
  });

  it('follows open streams', async () => {
    const metrics = new Metrics();
    metrics.streamOpened();
    metrics.streamOpened();
    metrics.streamClosed();
    expect(valueOf(await metrics.text(), 'fairlead_open_streams')).toBe(1);
  });

  it('tells the delay of the event loop and the memory of the process', async () => {
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

  it('puts the 201st value of a label under "other"', async () => {
    const metrics = new Metrics();
    for (let index = 1; index <= 202; index++) metrics.request(`/route-${index}`, 'GET', 200, 0.1, false);
    const text = await metrics.text();
    expect(valueOf(text, 'fairlead_requests_total{route="/route-200",method="GET",status="200"}')).toBe(1);
    expect(text).not.toContain('/route-201');
    expect(valueOf(text, 'fairlead_requests_total{route="other",method="GET",status="200"}')).toBe(2);
  });
});

/** A primary in memory: relays as the process does, but for the workers named silent. */
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

  it('adds up all workers, whichever is asked', async () => {
    const workers = joinWorkers(3);
    for (const { metrics } of workers) {
      metrics.streamOpened();
      metrics.request('/messages', 'POST', 200, 0.2, true);
    }
    for (const { cluster } of workers) {
      const text = await cluster.text();
      expect(valueOf(text, 'fairlead_open_streams')).toBe(3);
      expect(valueOf(text, 'fairlead_request_duration_seconds_count{route="/messages",streamed="true"}')).toBe(3);
    }
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

  it('has every metric and event that the example of alerts asks for', async () => {
    const alerts = readFileSync(join(__dirname, '..', '..', 'docs', 'alerts.yaml'), 'utf8');
    const { groups } = parse(alerts) as { groups: { rules: { alert: string; expr: string }[] }[] };
    const rules = groups.flatMap((group) => group.rules);
    expect(rules.length).toBeGreaterThan(3);
    const text = await new Metrics().text();
    const operating = readFileSync(join(__dirname, '..', '..', 'docs', 'operating.md'), 'utf8');
    const events = /fairlead_ledger_events_total` \| `event` \(([^)]+)\)/.exec(operating)![1]!;
    for (const { alert, expr } of rules) {
      const names = expr.match(/fairlead_\w+/g) ?? [];
      expect([alert, names.length]).toEqual([alert, 1]);
      expect(text).toContain(`# TYPE ${names[0]} counter`);
      for (const [, told] of expr.matchAll(/event=~?"([^"]+)"/g))
        for (const event of told!.split('|')) {
          expect(events).toContain(`\`${event}\``);
          // There from the beginning: of a series that begins at 1 no increase is seen.
          expect(valueOf(text, `fairlead_ledger_events_total{event="${event}"}`)).toBe(0);
        }
    }
  });

  it('counts what the operator loses by provider, from 0 on', async () => {
    const metrics = new Metrics();
    metrics.attempt('called', 'answered', 1);
    expect(valueOf(await metrics.text(), 'fairlead_operator_cost_usd_total{provider="called"}')).toBe(0);
    metrics.operatorCost('one', 0.25);
    metrics.operatorCost('one', 0.5);
    metrics.operatorCost('two', 0);
    const text = await metrics.text();
    expect(text).toContain('fairlead_operator_cost_usd_total{provider="one"} 0.75');
    expect(text).toContain('fairlead_operator_cost_usd_total{provider="two"} 0');
  });
});
