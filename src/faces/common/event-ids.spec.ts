// Events of a stream get consecutive ids, whatever their line ends, and a client can resume after any of them.
import { continueFrames, EventIds, FramesAfter, lastNumber } from './event-ids.js';

describe('EventIds', () => {
  it('numbers whole frames, over several pieces', () => {
    const numbers = new EventIds();
    expect(numbers.add('event: a\ndata: 1\n\ndata: 2\r\n\r\n')).toBe(
      'id: 1\nevent: a\ndata: 1\n\nid: 2\ndata: 2\r\n\r\n',
    );
    expect(numbers.add(Buffer.from('data: "ü"\n\n'))).toBe('id: 3\ndata: "ü"\n\n');
    expect(lastNumber('id: 1\ndata: 1\n\nid: 12\ndata: "id: 99"\n\n')).toBe(12);
    expect(lastNumber('data: 1\n\n')).toBe(0);
  });
});

describe('continueFrames', () => {
  const end = 'data: {"sequence_number":0}\n\ndata: [DONE]\n\n';
  it.each([
    ['', end],
    ['data: 1\n\n', end],
    ['data: {"sequence_number":7}\n\n', 'data: {"sequence_number":8}\n\ndata: [DONE]\n\n'],
    [
      'id: 4\ndata: {"sequence_number":3,"delta":"\\"sequence_number\\":9"}\n\n',
      'id: 5\ndata: {"sequence_number":4}\n\nid: 6\ndata: [DONE]\n\n',
    ],
  ])('continues the numbers of %j', (piece, expected) => {
    expect(continueFrames(end, piece)).toBe(expected);
  });
});

describe('FramesAfter', () => {
  const pieces = ['id: 1\ndata: 1\n\n', 'id: 2\ndata: "\\nid: 9"\n\nid: 3\ndata: 3\n\n', 'id: 4\ndata: 4\n\n'];
  it.each([
    [0, pieces.join('')],
    [1, pieces[1]! + pieces[2]!],
    [2, `id: 3\ndata: 3\n\n${pieces[2]!}`],
    [3, pieces[2]],
    [4, ''],
    [9, ''],
  ])('leaves out what comes up to %i', (number, rest) => {
    const frames = new FramesAfter(number);
    expect(pieces.map((piece) => frames.read(Buffer.from(piece))?.toString() ?? '').join('')).toBe(rest);
  });
});
