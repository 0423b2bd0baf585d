// A log gives each reader all of it, at the reader's own pace; one that is not kept goes as fast as its first reader.
import { FellBehind, KEPT_BYTES_MAX, ReplyLog, type LogReader } from './reply-log.js';

const HEAD = { isStream: true, warnings: [] };

/** Reads until the end. @returns the pieces, and the failure */
async function readAll(reader: LogReader): Promise<{ readonly text: string; readonly failure: unknown }> {
  let text = '';
  try {
    for await (const piece of reader) text += piece.toString();
  } catch (failure) {
    return { text, failure };
  }
  return { text, failure: undefined };
}

describe('ReplyLog', () => {
  it('gives early and late readers the same', async () => {
    const log = new ReplyLog({ isKept: true });
    const early = readAll(log.reader()!);
    log.open(HEAD);
    for (const part of ['a', 'b', '', 'c']) log.append(part);
    await Promise.resolve();
    const middle = readAll(log.reader()!);
    log.append('d');
    log.finish({ kind: 'complete' });
    const late = readAll(log.reader()!);
    for (const read of [early, middle, late]) expect(await read).toEqual({ text: 'abcd', failure: undefined });
    expect(log.isRead).toBe(false);
  });

  it('passes its failure on behind what was written', async () => {
    const log = new ReplyLog({ isKept: true });
    const reading = readAll(log.reader()!);
    log.append('a');
    const error = new Error('broken');
    log.finish({ kind: 'failed', error });
    log.finish({ kind: 'complete' });
    expect(await reading).toEqual({ text: 'a', failure: error });
  });

  it('reports its head, and its end', async () => {
    const log = new ReplyLog({ isKept: true });
    const seen: string[] = [];
    void log.begun().then(() => seen.push('begun'));
    void log.ended().then(() => seen.push('ended'));
    log.open(HEAD);
    await new Promise(setImmediate);
    expect(seen).toEqual(['begun']);
    log.finish({ kind: 'withdrawn' });
    await new Promise(setImmediate);
    expect(seen).toEqual(['begun', 'ended']);
  });

  it('is dropped above its limit: then its writer waits for the first reader, and keeps only what that one needs', async () => {
    const log = new ReplyLog({ isKept: true });
    let bytes = 0;
    log.onResized = (more) => (bytes += more);
    const first = log.reader()!;
    const second = log.reader()!;
    const half = 'x'.repeat(KEPT_BYTES_MAX / 2);
    log.append(half);
    expect([log.isKept, log.whenWritable()]).toEqual([true, undefined]);
    log.append(half);
    log.append('y');
    expect([log.isKept, bytes]).toEqual([false, KEPT_BYTES_MAX + 1]);
    const room = log.whenWritable()!;
    expect((await first.next()).value?.length).toBe(KEPT_BYTES_MAX + 1);
    await room;
    expect([log.size, bytes, log.whenWritable()]).toEqual([0, 0, undefined]);
    // Later readers, and those that have fallen behind, get nothing of it.
    expect(log.reader()).toBeUndefined();
    expect((await readAll(second)).failure).toBeInstanceOf(FellBehind);
    const rest = readAll(first);
    log.append('z');
    log.finish({ kind: 'complete' });
    expect(await rest).toEqual({ text: 'z', failure: undefined });
  });

  it('is abandoned when the last reader of one that is not kept leaves', async () => {
    for (const isKept of [true, false]) {
      const log = new ReplyLog({ isKept });
      let abandoned = 0;
      log.onAbandoned = () => abandoned++;
      const readers = [log.reader()!, log.reader()!];
      for (const reader of readers) await reader.return();
      expect(abandoned).toBe(isKept ? 0 : 1);
    }
  });

  it('is abandoned when it stops being kept and nobody reads it', async () => {
    const grown = (log: ReplyLog): void => log.append('x'.repeat(KEPT_BYTES_MAX + 1));
    const forbidden = (log: ReplyLog): void => log.drop();
    for (const stop of [grown, forbidden]) {
      for (const isRead of [true, false]) {
        const log = new ReplyLog({ isKept: true });
        let abandoned = 0;
        log.onAbandoned = () => abandoned++;
        const reader = log.reader()!;
        if (!isRead) await reader.return();
        stop(log);
        expect(abandoned).toBe(isRead ? 0 : 1);
      }
    }
  });
});
