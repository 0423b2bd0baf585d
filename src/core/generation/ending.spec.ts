// The table of endings as data: charge, health and log level of each, and an ending for every reason that can be
// thrown.
import { CallerGone, GatewayError, ProviderFault, type FaultKind } from '../errors.js';
import { CutShort, endingOf, ENDINGS, ReplyRefused, type Ending, type EndingName } from './ending.js';

const FAULTS: readonly FaultKind[] = [
  'unreachable', 'timed-out', 'refused-credential', 'payment-required', 'not-found', 'rejected-request', 'too-large',
  'rate-limited', 'unavailable', 'overloaded', 'server-error', 'malformed-reply',
]; // oxfmt-ignore
const ALL = Object.keys(ENDINGS) as Ending[];

describe('ENDINGS', () => {
  it('charges the caller for whole and partial answers, and for no failure', () => {
    const paidByCaller = ALL.filter((ending) => ENDINGS[ending].charge === 'caller');
    expect(paidByCaller.sort()).toEqual([
      'caller-gone',
      'completed',
      'deadline',
      'payment-required',
      'provider-out-of-time',
      'reply-refused',
    ]);
  });

  it('marks a provider as abandoned where it had not failed, time ran out before any content, or the reply was stopped', () => {
    const abandoned = ALL.filter((ending) => ENDINGS[ending].abandons === true);
    expect(abandoned.sort()).toEqual([
      'caller-gone',
      'deadline',
      'payment-required',
      'provider-out-of-time',
      'reply-refused',
      'shutdown',
    ]);
  });

  it('counts no provider as called that was not', () => {
    const uncalled = ALL.filter((ending) => ENDINGS[ending].charge === 'not-called');
    expect(uncalled.sort()).toEqual(['untranslatable']);
  });

  it.each(FAULTS)('names %s of a provider apart from failures of this gateway', (fault) => {
    const { name, outcome } = ENDINGS[`provider-${fault}`];
    expect([name, outcome]).toEqual([`provider-${fault}`, fault]);
    expect(ALL.filter((ending) => ENDINGS[ending].name === name && !ending.startsWith('provider-'))).toEqual([]);
  });

  it('uses the outcomes of faults for providers alone', () => {
    const outcomes = ALL.filter((ending) => !ending.startsWith('provider-')).map((ending) => ENDINGS[ending].outcome);
    expect([...new Set(outcomes)].sort()).toEqual(['aborted', 'answered', 'refused', 'untranslatable'].sort());
  });

  it('names each ending after one with the same result', () => {
    const renamed: Partial<Record<Ending, EndingName>> = {};
    for (const ending of ALL) {
      const { name, result } = ENDINGS[ending];
      if (name !== ending) renamed[ending] = name;
      expect([ending, ENDINGS[name].result]).toEqual([ending, result]);
    }
    expect(renamed).toEqual({
      deadline: 'timed-out',
      shutdown: 'service-unavailable',
      'reply-refused': 'forbidden',
      'provider-forbidden': 'provider-refused-credential',
      'provider-out-of-time': 'provider-timed-out',
    });
  });

  it('reports that callers left only where they did', () => {
    const byResult = (result: string) => ALL.filter((ending) => ENDINGS[ending].result === result).sort();
    expect([byResult('whole'), byResult('cancelled')]).toEqual([['completed'], ['caller-gone', 'client-closed']]);
  });

  it('implies nothing for the health of an endpoint from the actions of its callers', () => {
    for (const ending of [
      'caller-gone',
      'deadline',
      'shutdown',
      'reply-refused',
      'provider-rejected-request',
      'provider-too-large',
      'provider-forbidden',
    ] as const)
      expect(ENDINGS[ending].health).toBe('nothing');
  });

  it('counts as wasted what its caller left or caused, or a provider worked for without result', () => {
    const wasted = ALL.filter((ending) => ENDINGS[ending].wastes === true);
    expect(wasted.sort()).toEqual([
      'caller-gone',
      'client-closed',
      'deadline',
      'provider-forbidden',
      'provider-malformed-reply',
      'provider-out-of-time',
      'provider-rejected-request',
      'provider-server-error',
      'provider-timed-out',
      'provider-too-large',
      'upstream-failed',
    ]);
  });

  it('logs warnings for failures, and not for what callers can cause', () => {
    expect(ENDINGS.internal.logLevel).toBe('error');
    for (const ending of ['provider-server-error', 'provider-payment-required', 'upstream-failed'] as const)
      expect(ENDINGS[ending].logLevel).toBe('warn');
    for (const ending of ['completed', 'caller-gone', 'invalid-request', 'payment-required', 'rate-limited'] as const)
      expect(ENDINGS[ending].logLevel).toBe('info');
  });
});

it.each<[string, unknown, Ending]>([
  ['a caller that disconnects', new CallerGone(), 'caller-gone'],
  ['time that runs out', new CutShort('deadline', 'timed-out', 'x'), 'deadline'],
  ['a process that stops', new CutShort('shutdown', 'service-unavailable', 'x'), 'shutdown'],
  ['a reply that is refused', new ReplyRefused('x', {}), 'reply-refused'],
  ['a fault', new ProviderFault('overloaded', 'x'), 'provider-overloaded'],
  [
    'a 403, which may be due to the request of one caller',
    new ProviderFault('refused-credential', 'x', { status: 403 }),
    'provider-forbidden',
  ],
  [
    'a credential that is refused',
    new ProviderFault('refused-credential', 'x', { status: 401 }),
    'provider-refused-credential',
  ],
  ['a refusal', new GatewayError('payment-required', 'x'), 'payment-required'],
  [
    'a fault as the caller receives it',
    new GatewayError('upstream-failed', 'x', {}, { cause: new ProviderFault('payment-required', 'x') }),
    'provider-payment-required',
  ],
  ['an error of ours with another cause', new GatewayError('internal', 'x', {}, { cause: new Error('y') }), 'internal'],
  ['anything else', new RangeError('x'), 'internal'],
  ['no error at all', undefined, 'internal'],
])('%s has an ending', (_, reason, ending) => {
  expect(endingOf(reason)).toBe(ending);
});
