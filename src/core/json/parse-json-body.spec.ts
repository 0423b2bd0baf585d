/** A body is read strictly and in linear time, and a fault names its position. Tables, a property, a clock. */
import fc from 'fast-check';
import {
  JSON_DEPTH_MAX,
  JSON_MEMBERS_MAX,
  JSON_NAMES_MAX,
  JSON_STEP_VALUES_MAX,
  JSON_VALUES_MAX,
  JSON_WIDE_MEMBERS_MAX,
} from './json-scan.js';
import { stopwatch } from '../../../test/support/cpu-time.js';
import { parseJsonBody, readJsonBody } from './parse-json-body.js';

const parse = (text: string): unknown => parseJsonBody(Buffer.from(text));
const entries = (count: number): string => `[${'1,'.repeat(count - 1)}1]`;
const members = (count: number): string =>
  `{${Array.from({ length: count }, (_, index) => `"k${index}":1`).join(',')}}`;
const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

describe('parseJsonBody', () => {
  it('reads whatever JSON.parse reads', () => {
    // Texts long enough to be searched instead of walked, containing characters that look like their end or like
    // structure.
    const stringUnit = fc.constantFrom(...'"\\\\,:[{', ...'a'.repeat(60));
    const texts = fc.array(fc.string({ unit: stringUnit, maxLength: 400, size: 'max' }), { maxLength: 5 });
    fc.assert(
      fc.property(fc.oneof(texts, fc.jsonValue({ maxDepth: 6, stringUnit })), (value) => {
        const text = JSON.stringify({ value, end: 1 });
        expect(parse(text)).toEqual(JSON.parse(text));
      }),
      { numRuns: 200 },
    );
  });

  it('reads and refuses a short body like one that is long enough to be scanned', () => {
    const outcome = (text: string, isClosed: boolean): string => {
      try {
        return JSON.stringify(parseJsonBody(Buffer.from(text), isClosed));
      } catch (error) {
        return (error as Error).message;
      }
    };
    const word = fc.constantFrom(
      'a',
      'b',
      ':',
      'a:',
      '"',
      '\\u003a',
      '\\u0061',
      '\\"',
      '__proto__',
      'input',
      '\\ud800',
      'é',
    );
    const string = fc.array(word, { maxLength: 3 }).map((words) => `"${words.join('')}"`);
    const { text } = fc.letrec<{ text: string }>((tie) => ({
      text: fc.oneof(
        { depthSize: 'small' },
        string,
        fc.constantFrom('1', '-0.5', '12345678901234567890', '1e400', 'null', 'nul'),
        fc.array(tie('text'), { maxLength: 4 }).map((entries) => `[${entries.join(', ')}]`),
        fc
          .array(fc.tuple(string, tie('text')), { maxLength: 4 })
          .map((pairs) => `{${pairs.map((pair) => pair.join(' : ')).join(',')}}`),
      ),
    }));
    fc.assert(
      fc.property(text, fc.boolean(), (short, isClosed) => {
        const long = outcome(short + ' '.repeat(20_000), isClosed);
        // The blanks belong to a string that is not closed: its fault is where the text ends.
        const atMost = (_: string, at: string): string => `near position ${Math.min(Number(at), short.length)}`;
        expect(outcome(short, isClosed)).toBe(long.replace(/near position (\d+)/, atMost));
      }),
      { numRuns: 500 },
    );
  });

  it('keeps every key of a closed body, whose reader refuses it', async () => {
    const text = Buffer.from('{"__proto__":{"a":1},"b":{"__proto__":2}}');
    for (const body of [parseJsonBody(text, true), await readJsonBody(text, true)])
      expect(JSON.stringify(body)).toBe(text.toString());
  });

  it('keeps every key of free-form JSON', () => {
    const text = '{"input":{"__proto__":{"a":1},"constructor":2,"toString":3,"prototype":4,"hasOwnProperty":5}}';
    expect(JSON.stringify(parse(text))).toBe(text);
  });

  it('keeps every name of a tag, and no such name beneath or beside', () => {
    const text = '{"trace":{"tags":{"__proto__":"a","constructor":"b"}}}';
    expect(JSON.stringify(parse(text))).toBe(text);
    for (const other of ['{"trace":{"__proto__":{"tags":{}}}}', '{"tags":{"__proto__":"a"}}', '{"a":{"trace":{"tags":{"__proto__":"a"}}}}'])
      expect(() => parse(other)).toThrow('__proto__: is not a known field'); // oxfmt-ignore
    expect(() => parse('{"trace":{"tags":{"a":{"__proto__":"b"}}}}')).toThrow('trace.tags.a.__proto__: is not');
  });

  it.each([
    ['nothing', '', 'body: is empty'],
    ['text', 'hello', 'body: is not valid JSON'],
    ['a cut object', '{"a":', 'body: is not valid JSON'],
    ['a trailing comma', '{"a":1,}', 'body: is not valid JSON'],
    ['a byte-order mark', '\ufeff{}', 'body: is not valid JSON'],
    ['keys given twice', '{"a":1,"b":{"c":[0,{"d":1,"d":2}]}}', 'b.c.1.d: is given twice'],
    ['keys given twice, where an escape makes up for the colon', '{"a":1,"a":"\\u003a"}', 'a: is given twice'],
    ['keys given twice, one escaped', '{"a":1,"\\u0061":2}', 'a: is given twice'],
    ['keys given twice, far from their colons', `{"a"${' '.repeat(99)}:1,"a"\n:2}`, 'a: is given twice'],
    ['__proto__ given twice', '{"input":{"__proto__":1,"__proto__":2}}', 'input.__proto__: is given twice'],
    ['__proto__ at the top', '{"__proto__":{"model":"x"}}', '__proto__: is not a known field'],
    ['__proto__ spelt with escapes', '{"a":{"\\u005f_pr\\u006Fto__":1}}', 'a.__proto__: is not a known field'],
    ['__proto__ inside', '{"messages":[{"__proto__":null}]}', 'messages.0.__proto__: is not a known field'],
    ['a lone surrogate in a key', '{"a":{"\\udfff":1}}', 'a: has a key with a lone surrogate'],
    ['nesting past the limit', nested(JSON_DEPTH_MAX + 1), `body: is nested deeper than ${JSON_DEPTH_MAX} levels`],
    ['nesting 100,000 deep', nested(100_000), 'body: is nested deeper'],
    [
      'more values than are read in one step',
      entries(JSON_STEP_VALUES_MAX + 1),
      `body: has more than ${JSON_STEP_VALUES_MAX} values in one entry`,
    ],
    ['more members than an object has', members(JSON_MEMBERS_MAX + 1), 'has an object of more than 10000 members'],
    ['as many deep inside', `[0,{"a":${members(JSON_MEMBERS_MAX + 1)}}]`, 'has an object of more than 10000 members'],
    ['nesting that never ends', '{"a":'.repeat(100_000), 'body: is nested deeper'],
  ])('refuses %s', (_, text, message) => {
    expect(() => parse(text)).toThrow(message);
  });

  it('refuses invalid UTF-8', () => {
    expect(() => parseJsonBody(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]))).toThrow('body: is not valid UTF-8');
  });

  it('names a path in a few words, however long the keys', () => {
    const key = 'k'.repeat(1e6);
    for (const inner of ['{"d":1,"d":2}', '{"__proto__":1}', '{"\\ud800":1}']) {
      let message = '';
      try {
        parse(`{"a":{"${key}":${inner}}}`);
      } catch (error) {
        ({ message } = error as Error);
      }
      expect(message).toMatch(/^a\.k+…/);
      expect(message.length).toBeLessThan(200);
    }
  });

  it('accepts values and nesting at the limit, surrogate pairs, and the same key in two objects', () => {
    expect(() => parse(nested(JSON_DEPTH_MAX))).not.toThrow();
    expect(parse(entries(JSON_STEP_VALUES_MAX))).toHaveLength(JSON_STEP_VALUES_MAX);
    expect(Object.keys(parse(members(JSON_MEMBERS_MAX)) as object)).toHaveLength(JSON_MEMBERS_MAX);
    const two = `[${members(JSON_MEMBERS_MAX)},${members(JSON_MEMBERS_MAX)}]`;
    expect(parse(two)).toHaveLength(2);
    expect(parse('{"a":"\\ud83d\\ude00","b":{"a":1}}')).toEqual({ a: '😀', b: { a: 1 } });
    expect(parse('{"a\\"b:":1,"c":":{["}')).toEqual({ 'a"b:': 1, c: ':{[' });
  });

  it('counts different names of members over all objects, of any length', () => {
    const stem = 'n'.repeat(100);
    /** Objects of ten members; with the requested number of names, the last object repeated. */
    const body = (names: number): string => {
      const objects = Array.from(
        { length: names / 10 },
        (_, position) => `{${Array.from({ length: 10 }, (_, index) => `"${stem}${position}-${index}":1`).join(',')}}`,
      );
      return `[${[...objects, objects.at(-1)].join(',')}]`;
    };
    // By their hashes: some of them collide.
    expect(() => parse(body(JSON_NAMES_MAX))).not.toThrow();
    expect(() => parse(body(JSON_NAMES_MAX * 1.1))).toThrow(`more than ${JSON_NAMES_MAX} different names of members`);
  });

  it('counts the members of wide objects together', () => {
    const wide = JSON_MEMBERS_MAX - 1_000;
    const most = Math.floor(JSON_WIDE_MEMBERS_MAX / wide);
    const body = (objects: number): string => `[${Array(objects).fill(members(JSON_MEMBERS_MAX)).join(',')}]`;
    expect(parse(body(most))).toHaveLength(most);
    expect(() => parse(body(most + 1))).toThrow(`more than ${JSON_WIDE_MEMBERS_MAX} members in objects of more than`);
    expect(parse(`[${Array(40).fill(members(1_000)).join(',')}]`)).toHaveLength(40);
  });

  it('yields in a body of many values, however few its bytes', async () => {
    const many = Buffer.from(`{"l":[${'0,'.repeat(20_000)}0]}`);
    const read = readJsonBody(many);
    expect(read).toBeInstanceOf(Promise);
    expect(await read).toEqual(parseJsonBody(many));
    expect(readJsonBody(Buffer.from(`{"l":["${'x'.repeat(900_000)}"]}`))).not.toBeInstanceOf(Promise);
  });

  it('counts values of a long list by its pieces, and all of them together', () => {
    // Longer than a piece, so that each is read in a separate step.
    const entry = (values: number): string => `{"a":[${'0,'.repeat(values - 3)}0],"b":"${'x'.repeat(70_000)}"}`;
    const body = (values: number, times: number): Buffer =>
      Buffer.from(`{"l":[${Array.from({ length: times }, () => entry(values)).join(',')}]}`);
    const most = JSON_STEP_VALUES_MAX - 3;
    expect((parseJsonBody(body(most, 3)) as { l: unknown[] }).l).toHaveLength(3);
    expect(() => parseJsonBody(body(most, 4))).toThrow(`body: has more than ${JSON_VALUES_MAX} values`);
    expect(() => parseJsonBody(body(most + 8, 3))).toThrow('values in one entry');
  });

  it.each([
    ['{"a":["ok","\\ud800x"]}', { a: ['ok', '\ufffdx'] }],
    ['{"a":"\\uDC00\\ud83d\\ude00\\ud83d"}', { a: '\ufffd😀\ufffd' }],
    ['{"input":{"__proto__":{"b":"\\udbff"}}}', JSON.parse('{"input":{"__proto__":{"b":"\ufffd"}}}')],
    ['"\\ud800"', '\ufffd'],
  ])('replaces lone surrogates of texts: %s', (text, value) => {
    const read = parse(text);
    expect(read).toEqual(value);
    expect(JSON.stringify(read)).toBe(JSON.stringify(value));
  });

  it('refuses lone surrogates in a body without a history', () => {
    expect(() => parseJsonBody(Buffer.from('{"a":["ok","\\ud800x"]}'), true)).toThrow('a.1: contains a lone surrogate');
  });

  it('never puts the text of a body into a message', () => {
    expect(() => parse('{"secret-words" oops}')).toThrow(/^(?!.*(secret|oops))/);
  });

  it('reads a large body alike, and yields meanwhile', async () => {
    const body = { text: `a "quoted" text\n`.repeat(2e5), n: [1, 2, 3] };
    let turns = 0;
    const timer = setInterval(() => turns++, 0);
    expect(await readJsonBody(Buffer.from(JSON.stringify(body)))).toEqual(body);
    clearInterval(timer);
    expect(turns).toBeGreaterThan(2);
    await expect(readJsonBody(Buffer.from(`[${'"a",'.repeat(3e5)}1]`))).rejects.toThrow('more than');
  });

  it('takes time in proportion to the bytes, for any content', () => {
    const hostile = [
      '"'.repeat(1e6),
      `"${'\\"'.repeat(1e6)}`,
      `["${'\\\\'.repeat(1e6)}"]`,
      ':'.repeat(1e6),
      `{${'"a":1,'.repeat(2e5)}"b":2}`,
    ];
    for (const text of hostile) {
      const computedMs = stopwatch();
      try {
        parse(text);
      } catch {
        // A refusal is as good as a value here.
      }
      expect(computedMs()).toBeLessThan(1_000);
    }
  });
});
