// A source that answers by calls can be iterated, and one that is iterated can be pulled; each pull has one answer.
// Small sources of both kinds, and their combination.
import { toPullSource, left, PullSource, type PullReceiver } from './pull-source.js';

/** Emits the numbers below `count` synchronously, then ends, or fails if it has a failure. */
class Numbers extends PullSource<number> {
  private given = 0;
  isLeft = false;

  constructor(
    private readonly count: number,
    private readonly failure?: Error,
  ) {
    super();
  }

  override pull(receiver: PullReceiver<number>): void {
    if (this.given < this.count) receiver.take(this.given++);
    else if (this.failure) receiver.fail(this.failure);
    else receiver.end();
  }

  override return(): Promise<IteratorResult<number, undefined>> {
    this.isLeft = true;
    return left();
  }
}

async function* iterated(source: AsyncIterable<number>): AsyncGenerator<number, undefined, undefined> {
  yield* source;
}

async function listOf(source: AsyncIterable<number>): Promise<number[]> {
  const items: number[] = [];
  for await (const item of source) items.push(item);
  return items;
}

describe.each([
  ['as it is', (source: Numbers): PullSource<number> => toPullSource(source)],
  ['of an iterable', (source: Numbers): PullSource<number> => toPullSource(iterated(source))],
])('a source that is pulled, %s', (_, made) => {
  it('gives its items in order, then its end', async () => {
    expect(await listOf(made(new Numbers(3)))).toEqual([0, 1, 2]);
  });

  it('fails after its items', async () => {
    const source = made(new Numbers(1, new Error('broken')));
    expect(await source.next()).toEqual({ done: false, value: 0 });
    await expect(source.next()).rejects.toThrow('broken');
  });

  it('is closed when its reader leaves', async () => {
    const numbers = new Numbers(3);
    for await (const item of made(numbers)) if (item === 1) break;
    expect(numbers.isLeft).toBe(true);
  });
});
