// Goal: the names of AWS decide the kind of a failure, wherever they are, and its message is safe for a caller. Method:
// tables; the platform's own spec covers whole failures.
import { faultOfException, findAwsFault } from './aws-faults.js';

it.each([
  ['ThrottlingException', 'rate-limited'],
  ['throttlingException', 'rate-limited'],
  ['com.amazon.coral.service#ExpiredTokenException', 'refused-credential'],
  ['UnrecognizedClientException:http://internal.amazon.com/coral/', 'refused-credential'],
  ['InvalidSignatureException', 'refused-credential'],
  ['ModelNotReadyException', 'unavailable'],
  ['ModelErrorException', 'server-error'],
  ['ConstructorException', 'server-error'],
  ['', 'server-error'],
])('an exception %s is %s', (name, kind) => {
  expect(faultOfException(name, 'Words.')).toMatchObject({ kind, message: 'Words.' });
});

it('reports no address and no key, and a default message where there is none', () => {
  const { message } = faultOfException('validationException', `See https://a.test/k of ${'a1'.repeat(20)}`);
  expect(message).toBe('See [address] of [credential]');
  expect(faultOfException('x', undefined).message).toBe('The provider failed while it answered.');
});

it.each([
  [
    { 'x-amzn-errortype': 'AccessDeniedException' },
    '{"__type":"ThrottlingException","message":"m"}',
    'AccessDeniedException',
  ],
  [{}, '{"__type":"ThrottlingException"}', 'ThrottlingException'],
  [{ 'x-amzn-errortype': ['a', 'b'] }, '{"message":"m"}', undefined],
])('the header %j has priority over the body %s', (headers, body, providerCode) => {
  expect(findAwsFault({ status: 418, headers, body })?.detail.providerCode).toBe(providerCode);
});

it('uses the status where the name is unknown', () => {
  const headers = { 'x-amzn-errortype': 'NewException' };
  expect(findAwsFault({ status: 503, headers, body: '' })?.kind).toBe('unavailable');
});
