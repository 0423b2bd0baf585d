// Goal: messages are read correctly however they are cut, and a stream that was changed or cut is malformed. Method:
// hand-made messages; properties over payloads, cuts and changed bytes.
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { awsFrame, awsHeader, awsMessage } from '../../../../test/support/aws-event-stream.js';
import { ProviderFault } from '../../../core/errors.js';
import { EventStreamReader, MESSAGE_BYTES_MAX, type EventStreamMessage } from './event-stream.js';

function read(pieces: readonly Uint8Array[]): [headers: object, payload: string][] {
  const reader = new EventStreamReader();
  const out: EventStreamMessage[] = [];
  for (const piece of pieces) reader.push(piece, out);
  reader.end();
  return out.map(({ headers, payload }) => [Object.fromEntries(headers), payload]);
}

const malformed = expect.objectContaining({ kind: 'malformed-reply' });

it('gives the messages of any bytes, cut anywhere', () => {
  const texts = fc.array(fc.tuple(fc.constantFrom('delta', 'stop'), fc.string({ unit: 'grapheme', maxLength: 40 })));
  fc.assert(
    fc.property(texts, fc.array(fc.nat({ max: 400 }), { maxLength: 10 }), (messages, cuts) => {
      const bytes = Buffer.concat(messages.map(([name, payload]) => awsMessage({ ':event-type': name }, payload)));
      const positions = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b), bytes.length];
      const pieces = positions.slice(1).map((end, index) => new Uint8Array(bytes.subarray(positions[index], end)));
      expect(read(pieces)).toEqual(messages.map(([name, payload]) => [{ ':event-type': name }, payload]));
    }),
  );
});

it('finds any changed byte', () => {
  const bytes = awsMessage({ ':event-type': 'delta', ':message-type': 'event' }, '{"text":"Hello"}');
  fc.assert(
    fc.property(fc.nat({ max: bytes.length - 1 }), fc.integer({ min: 1, max: 255 }), (index, change) => {
      const spoilt = Buffer.from(bytes);
      spoilt[index]! ^= change;
      // The checksum reveals a larger length before the reader waits for more bytes.
      expect(() => read([spoilt])).toThrow(malformed);
    }),
  );
});

it('is malformed where it is cut in a message, and is not where it ends behind one', () => {
  const bytes = awsMessage({ ':event-type': 'delta' }, '{}');
  for (let length = 1; length < bytes.length; length++) {
    expect(() => read([bytes, bytes.subarray(0, length)])).toThrow(
      expect.objectContaining({ kind: 'malformed-reply', detail: { isCut: true } }),
    );
  }
  expect(read([bytes])).toHaveLength(1);
});

it('passes over headers that are no texts', () => {
  const flag = Buffer.from([1, 97, 0]);
  const number = Buffer.from([1, 98, 4, 0, 0, 0, 7]);
  const fields = Buffer.concat([flag, number, awsHeader('c', 6, 'bytes'), awsHeader(':event-type', 7, 'delta')]);
  expect(read([awsFrame(fields, Buffer.from('x'))])).toEqual([[{ ':event-type': 'delta' }, 'x']]);
});

it.each<[string, Buffer]>([
  ['an unknown type', Buffer.from([1, 97, 99])],
  ['a name beyond the end', Buffer.from([200, 97])],
  ['a text beyond the end', Buffer.from([1, 97, 7, 255, 255, 97])],
  ['a number beyond the end', Buffer.from([1, 97, 5, 0])],
])('is malformed with a header of %s', (_, fields) => {
  expect(() => read([awsFrame(fields, Buffer.alloc(0))])).toThrow(malformed);
});

it('takes no message that is longer than its bound, before its bytes come', () => {
  const long = awsFrame(Buffer.alloc(0), Buffer.alloc(MESSAGE_BYTES_MAX - 15));
  expect(() => read([long.subarray(0, 12)])).toThrow(/more than 16777216 bytes/);
  expect(() => read([awsFrame(Buffer.alloc(0), Buffer.alloc(64))])).not.toThrow();
});

it.each([
  ['shorter than itself', 15, 0],
  ['of no bytes', 0, 0],
  ['whose headers are longer than it', 32, 17],
  ['whose headers are as long as numbers go', 32, 0xffffffff],
])('is malformed with a message %s, however right the checksum of its lengths is', (_, total, headers) => {
  const prelude = Buffer.alloc(32);
  prelude.writeUInt32BE(total, 0);
  prelude.writeUInt32BE(headers, 4);
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8);
  expect(() => read([prelude])).toThrow(malformed);
});

it('costs time that grows with the bytes and not with the cuts', () => {
  const bytes = awsMessage({ ':event-type': 'delta' }, Buffer.alloc(300_000, 97));
  const reader = new EventStreamReader();
  const out: EventStreamMessage[] = [];
  // With a join at every byte this would copy 45 GB.
  for (let index = 0; index < bytes.length; index++) reader.push(bytes.subarray(index, index + 1), out);
  expect(out).toHaveLength(1);
  expect(() => reader.end()).not.toThrow(ProviderFault);
});
