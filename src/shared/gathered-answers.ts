interface Question<T> {
  readonly answers: T[];
  expected: number | undefined;
  finish: () => void;
}

/**
 * Answers of other processes to questions of this one. Who does not answer in time is left out: one stuck process must
 * not hide the others.
 */
export class GatheredAnswers<T> {
  private readonly pending = new Map<number, Question<T>>();
  private nextAsk = 0;

  constructor(private readonly waitMs: number) {}

  /** @param send asks all of them, with the number of the question */
  async gather(send: (ask: number) => void): Promise<readonly T[]> {
    const ask = this.nextAsk++;
    const answers: T[] = [];
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, this.waitMs);
      const finish = (): void => {
        clearTimeout(timer);
        resolve();
      };
      this.pending.set(ask, { answers, expected: undefined, finish });
      send(ask);
    });
    this.pending.delete(ask);
    return answers;
  }

  /** So many were asked. */
  expect(ask: number, count: number): void {
    this.update(ask, (question) => (question.expected = count));
  }

  give(ask: number, answer: T): void {
    this.update(ask, ({ answers }) => answers.push(answer));
  }

  private update(ask: number, change: (question: Question<T>) => void): void {
    const question = this.pending.get(ask);
    // An answer that comes after its time belongs to no question any more.
    if (!question) return;
    change(question);
    if (question.expected !== undefined && question.answers.length >= question.expected) question.finish();
  }
}
