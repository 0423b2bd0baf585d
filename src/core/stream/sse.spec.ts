/**
 * The reader follows the server-sent events standard at byte level, for any chunks. Tables of frames, and the property
 * that every split of a stream gives the same frames. Rules: docs/use/streaming.md.
 */
import fc from 'fast-check';
import { stopwatch } from '../../../test/support/cpu-time.js';
import { ProviderFault } from '../errors.js';
import { DONE_FRAME, SseReader, writeComment, writeFrame, type SseFrame } from './sse.js';

function read(chunks: readonly Uint8Array[], frameBytesMax?: number): SseFrame[] {
  const reader = new SseReader(frameBytesMax);
  const out: SseFrame[] = [];
  for (const chunk of chunks) reader.push(chunk, out);
  reader.end();
  return out;
}

const plain = (frames: SseFrame[]): [string, string][] => frames.map(({ event, data }) => [event, data]);
const readText = (text: string): [string, string][] => plain(read([Buffer.from(text)]));

describe('SseReader', () => {
  it.each<[string, string, [string, string][]]>([
    ['a named frame', 'event: ping\ndata: {"a":1}\n\n', [['ping', '{"a":1}']]],
    ['an unnamed frame', 'data: [DONE]\n\n', [['', '[DONE]']]],
    ['CRLF line ends', 'event: a\r\ndata: b\r\n\r\n', [['a', 'b']]],
    ['CR line ends', 'event: a\rdata: b\r\rdata: c\r\r', [['a', 'b'], ['', 'c']]], // oxfmt-ignore
    ['mixed line ends', 'event: a\ndata: b\r\n\ndata: c\r\n\r\n', [['a', 'b'], ['', 'c']]], // oxfmt-ignore
    ['comments between and inside frames', ': warm\n\n:x\nevent: a\n: y\ndata: b\n\n', [['a', 'b']]],
    ['multi-line data', 'data: one\ndata:two\ndata\ndata: \n\n', [['', 'one\ntwo\n\n']]],
    ['one leading space only is taken off', 'data:  two spaces\n\n', [['', ' two spaces']]],
    ['unknown fields, ids and retries', 'id: 1\nretry: 5\nfoo: bar\ndatax: y\ndata: z\n\n', [['', 'z']]],
    ['a byte-order mark', '\ufeffdata: a\n\n', [['', 'a']]],
    ['an event without data is not dispatched', 'event: a\n\ndata: b\n\n', [['', 'b']]],
    ['the last of two names', 'event: a\nevent: b\ndata: c\n\n', [['b', 'c']]],
    ['an unfinished frame is not dispatched', 'data: a\n\ndata: b\n', [['', 'a']]],
    ['many blank lines', '\n\n\ndata: a\n\n\n\n', [['', 'a']]],
    ['a line that is only a field name', 'event\ndata: a\n\n', [['', 'a']]],
  ])('reads %s', (_, text, expected) => {
    expect(readText(text)).toEqual(expected);
  });

  const lines = fc.constantFrom(
    'event: x', 'data: été 😀', 'data:', 'data: {"a":"\\u00e9"}', ': comment', 'id: 7', '', '', 'data: [DONE]', 'retry',
  ); // oxfmt-ignore
  const ends = fc.constantFrom('\n', '\r\n', '\r');

  it('gives the same frames for any split of the bytes', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(lines, ends), { maxLength: 30 }),
        fc.array(fc.nat(400), { maxLength: 12 }),
        (parts, cuts) => {
          const bytes = Buffer.from(parts.map(([line, end]) => line + end).join(''));
          const positions = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
          const chunks = [...positions, bytes.length].map((position, index) =>
            bytes.subarray(positions[index - 1] ?? 0, position),
          );
          expect(plain(read(chunks))).toEqual(plain(read([bytes])));
        },
      ),
      { numRuns: 200 },
    );
  });

  it('gives the same frames one byte at a time', () => {
    const text = '\ufeffevent: a\r\ndata: 😀\r\n\r\nevent: b\ndata: c\n\n: d\n\ndata: e\rdata: f\r\r';
    const bytes = Buffer.from(text);
    expect(plain(read([...bytes].map((byte) => Uint8Array.of(byte))))).toEqual(readText(text));
  });

  it('returns the bytes of a frame that can be forwarded unchanged', () => {
    const first = 'event: a\ndata: {"x":"é"}\n\n';
    const frames = read([Buffer.from(first + first.slice(0, 9)), Buffer.from(first.slice(9))]);
    expect(
      frames.map(({ source }) => Buffer.from(source!.bytes.subarray(source!.start, source!.end)).toString()),
    ).toEqual([first, first]);
  });

  it.each([
    ['no name', Buffer.from('data: a\n\n')],
    ['CRLF', Buffer.from('event: a\r\ndata: b\r\n\r\n')],
    ['two data lines', Buffer.from('event: a\ndata: b\ndata: c\n\n')],
    ['a comment', Buffer.from(': c\nevent: a\ndata: b\n\n')],
    ['data before the name', Buffer.from('data: b\nevent: a\n\n')],
    ['no space', Buffer.from('event:a\ndata: b\n\n')],
    ['invalid UTF-8', Buffer.concat([Buffer.from('event: a\ndata: '), Buffer.from([0xff]), Buffer.from('\n\n')])],
  ])('does not return the bytes of a frame with %s', (_, bytes) => {
    expect(read([bytes])).toHaveLength(1);
    expect(read([bytes])[0]).not.toHaveProperty('source');
  });

  it('refuses a frame past the limit, in one line or in many', () => {
    const line = Buffer.from('data: 0123456789\n');
    const endless = Buffer.alloc(40, 'a');
    expect(() => read([line, line, Buffer.from('\n')], 40)).not.toThrow();
    expect(() => read([line, line, line, line], 40)).toThrow(ProviderFault);
    expect(() => read([endless, endless], 40)).toThrow(ProviderFault);
    expect(() => read([Buffer.from('event: a\ndata: b'), endless], 40)).toThrow(ProviderFault);
  });

  it('stays linear when a long line arrives in many chunks', () => {
    const reader = new SseReader();
    const out: SseFrame[] = [];
    const chunk = Buffer.alloc(1024, 'a');
    reader.push(Buffer.from('event: a\ndata: '), out);
    const computedMs = stopwatch();
    for (let index = 0; index < 15_000; index++) reader.push(chunk, out);
    reader.push(Buffer.from('\n\n'), out);
    expect(computedMs()).toBeLessThan(1_000);
    expect(out[0]!.data).toHaveLength(15_000 * 1024);
  });
});

describe('writing', () => {
  it('writes frames, comments and the end marker that the reader reads', () => {
    const text = writeFrame('a', '{"b":1}') + writeComment('warm') + writeFrame('', 'c') + DONE_FRAME;
    expect(readText(text)).toEqual([
      ['a', '{"b":1}'],
      ['', 'c'],
      ['', '[DONE]'],
    ]);
    expect(DONE_FRAME).not.toContain('event:');
  });
});
