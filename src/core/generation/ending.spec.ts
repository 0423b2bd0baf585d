// Goal: what follows from each ending is what the ledger, health and callers rely on, and every reason that can be
// thrown has one. Method: the table as a table.
import { CallerGone, GatewayError, ProviderFault } from '../errors.js';
import { CutShort, endingOf, ENDINGS, type Ending } from './ending.js';

const FAULTS: readonly Ending[] = [
  'unreachable', 'timed-out', 'refused-credential', 'payment-required', 'not-found', 'rejected-request', 'too-large',
  'rate-limited', 'unavailable', 'overloaded', 'server-error', 'malformed-reply',
]; // prettier-ignore

describe('ENDINGS', () => {
  it('charges the caller for what was answered, as far as it came, and for nothing that failed', () => {
    const paidByCaller = Object.keys(ENDINGS).filter((ending) => ENDINGS[ending as Ending].charge === 'caller');
    expect(paidByCaller.sort()).toEqual(['caller-gone', 'completed', 'deadline', 'timed-out']);
  });

  it('calls nobody called who was never asked', () => {
    const uncalled = Object.keys(ENDINGS).filter((ending) => ENDINGS[ending as Ending].charge === 'not-called');
    expect(uncalled.sort()).toEqual(['not-sent', 'unaffordable', 'untranslatable']);
    expect(ENDINGS.unaffordable.outcome).toBeNull();
  });

  it.each(FAULTS)('names %s by itself wherever it is told', (fault) => {
    expect([ENDINGS[fault].name, ENDINGS[fault].outcome]).toEqual([fault, fault]);
  });

  it('tells nothing of an endpoint by what its callers did', () => {
    for (const ending of ['caller-gone', 'deadline', 'shutdown', 'rejected-request', 'too-large'] as const)
      expect(ENDINGS[ending].health).toBe('nothing');
  });

  it('warns of failures, and of nothing that callers can cause', () => {
    expect(ENDINGS.internal.logLevel).toBe('error');
    for (const ending of ['unreachable', 'server-error', 'refused-credential', 'upstream-failed'] as const)
      expect(ENDINGS[ending].logLevel).toBe('warn');
    for (const ending of ['completed', 'caller-gone', 'invalid-request', 'not-found', 'rate-limited'] as const)
      expect(ENDINGS[ending].logLevel).toBe('info');
  });
});

it.each<[string, unknown, Ending]>([
  ['a caller who goes', new CallerGone(), 'caller-gone'],
  ['time that runs out', new CutShort('deadline', 'timed-out', 'x'), 'deadline'],
  ['a process that stops', new CutShort('shutdown', 'unavailable', 'x'), 'shutdown'],
  ['a fault', new ProviderFault('overloaded', 'x'), 'overloaded'],
  ['a refusal', new GatewayError('forbidden', 'x'), 'forbidden'],
  ['anything else', new RangeError('x'), 'internal'],
  ['no error at all', undefined, 'internal'],
])('%s has an ending', (_, reason, ending) => {
  expect(endingOf(reason)).toBe(ending);
});
