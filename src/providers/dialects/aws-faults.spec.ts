// Goal: the names of AWS decide what a failure means, wherever they stand, and its words are fit for a caller. Method:
// tables; what the platform tells of whole failures stands in its own spec.
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

it('tells no address and no key, and something where nothing was said', () => {
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
])('the header %j stands before the body %s', (headers, body, providerCode) => {
  expect(findAwsFault({ status: 418, headers, body })?.detail.providerCode).toBe(providerCode);
});

it('goes by the status where the name says nothing', () => {
  const headers = { 'x-amzn-errortype': 'NewException' };
  expect(findAwsFault({ status: 503, headers, body: '' })?.kind).toBe('unavailable');
});
