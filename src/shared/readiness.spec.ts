// Readiness follows start-up, checks and shutdown by docs/operate/scaling.md#health; liveness is independent. The
// state after each change; the controller against a response that records its status.
import { Clock } from '../core/time.js';
import { HealthController } from './health.controller.js';
import { afterGrace, Readiness } from './readiness.js';

class ManualClock extends Clock {
  at = 0;

  override now(): number {
    return this.at;
  }
}

describe('Readiness', () => {
  it('is not ready before the start is done, ready after it, and not from the shutdown on', () => {
    const readiness = new Readiness();
    expect(readiness.state()).toEqual({ ready: false, checks: { process: { ready: false, detail: 'starting' } } });
    readiness.markStarted();
    expect(readiness.state()).toEqual({ ready: true, checks: { process: { ready: true } } });
    readiness.markDraining();
    readiness.markStarted();
    expect(readiness.state()).toEqual({ ready: false, checks: { process: { ready: false, detail: 'shutting down' } } });
  });

  it('is not ready while one check is negative or fails', () => {
    const readiness = new Readiness();
    readiness.markStarted();
    let ready = true;
    readiness.register('catalog', () => ({ ready: true }));
    readiness.register('database', () => ({ ready }));
    expect(readiness.state().ready).toBe(true);
    ready = false;
    expect(readiness.state()).toMatchObject({
      ready: false,
      checks: { catalog: { ready: true }, database: { ready: false } },
    });
    readiness.register('database', () => {
      throw new Error('password canary');
    });
    expect(readiness.state().checks['database']).toEqual({ ready: false, detail: 'the check failed' });
  });
});

describe('afterGrace', () => {
  it.each([
    [59_999, true],
    [60_000, false],
  ])('after %i ms of trouble ready is %s', (elapsed, ready) => {
    const clock = new ManualClock();
    clock.at = 1000 + elapsed;
    expect(afterGrace(60_000, clock, () => 1000)().ready).toBe(ready);
  });

  it('is ready again at once when the trouble is over', () => {
    const clock = new ManualClock();
    let since: number | undefined = 0;
    const check = afterGrace(60_000, clock, () => since);
    clock.at = 100_000;
    expect(check().ready).toBe(false);
    since = undefined;
    expect(check()).toEqual({ ready: true });
  });
});

describe('HealthController', () => {
  it('answers ready with 200 or 503, and live always', () => {
    const readiness = new Readiness();
    const controller = new HealthController(readiness);
    const statuses: number[] = [];
    const response = { status: (code: number) => statuses.push(code) } as never;
    expect(controller.ready(response)).toMatchObject({ status: 'unavailable' });
    readiness.markStarted();
    expect(controller.ready(response)).toMatchObject({ status: 'ok' });
    readiness.markDraining();
    expect(controller.ready(response)).toMatchObject({ status: 'unavailable' });
    expect(statuses).toEqual([503, 200, 503]);
    expect(controller.live()).toEqual({ status: 'ok' });
  });
});
