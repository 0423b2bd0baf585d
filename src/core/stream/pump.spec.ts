/** One array per pull, in order, and no emitted event is lost when a step fails. A step that fails on demand. */
import { pump, type StepFailures } from './pump.js';
import { chain, type StreamStage } from './stream-stage.js';

async function* sourceOf(...pulls: string[][]): AsyncGenerator<readonly string[]> {
  yield* pulls;
}

/** Returns each input, fails on `!`, and emits `end` at the end. */
const echo = (): StreamStage<string, string> => ({
  push(input, out) {
    if (input === '!') throw new Error('broken');
    if (input !== '') out.push(input);
  },
  end: (out) => void out.push('end'),
});

const failing = (keepsPartial: boolean): StepFailures => ({
  keepsPartial: () => keepsPartial,
  masked: (error) => error,
});

async function collect(batches: AsyncIterable<string[]>): Promise<{ batches: string[][]; failure: unknown }> {
  const seen: string[][] = [];
  try {
    for await (const batch of batches) seen.push(batch);
  } catch (failure) {
    return { batches: seen, failure };
  }
  return { batches: seen, failure: undefined };
}

describe('pump', () => {
  it('gives one array for each pull with outputs, and the end', async () => {
    const { batches } = await collect(pump(sourceOf(['a', 'b'], [''], ['c']), echo()));
    expect(batches).toEqual([['a', 'b'], ['c'], ['end']]);
  });

  it('emits outputs before a failure once the reply is being sent', async () => {
    const { batches, failure } = await collect(pump(sourceOf(['a'], ['b', '!', 'c']), echo(), failing(true)));
    expect(batches).toEqual([['a'], ['b']]);
    expect(failure).toEqual(new Error('broken'));
  });

  it('holds them back while another provider may still answer', async () => {
    const { batches, failure } = await collect(pump(sourceOf(['b', '!']), echo(), failing(false)));
    expect(batches).toEqual([]);
    expect(failure).toEqual(new Error('broken'));
  });

  it('gives nothing more once it has failed, ended or been closed', async () => {
    const failed = pump(sourceOf(['a', '!'], ['more']), echo());
    expect(await failed.next()).toEqual({ done: false, value: ['a'] });
    await expect(failed.next()).rejects.toThrow('broken');
    const ended = pump(sourceOf(), echo());
    expect(await ended.next()).toEqual({ done: false, value: ['end'] });
    const left = pump(sourceOf(['a'], ['more']), echo());
    await left.next();
    await left.return();
    for (const over of [failed, ended, left]) expect(await over.next()).toEqual({ done: true, value: undefined });
  });

  it('closes the source when the step fails or the reader leaves', async () => {
    for (const pulls of [['!'], ['a']]) {
      let isClosed = false;
      const source = async function* (): AsyncGenerator<readonly string[]> {
        try {
          yield pulls;
          yield ['more'];
        } finally {
          isClosed = true;
        }
      };
      try {
        for await (const batch of pump(source(), echo())) {
          expect(batch).toEqual(['a']);
          break;
        }
      } catch {
        // The failure itself is the concern of the tests above.
      }
      expect(isClosed).toBe(true);
    }
  });
});

describe('chain', () => {
  it('passes on what the first step emitted before it failed', () => {
    const out: string[] = [];
    const twice: StreamStage<string, string> = {
      push(input, between) {
        between.push(input);
        throw new Error('broken');
      },
      end: () => undefined,
    };
    const both = chain(twice, echo());
    expect(() => both.push('a', out)).toThrow('broken');
    expect(out).toEqual(['a']);
  });

  it('passes on in order, and ends the second after the first', () => {
    const out: string[] = [];
    const both = chain(echo(), echo());
    both.push('a', out);
    both.end(out);
    expect(out).toEqual(['a', 'end', 'end']);
  });
});
