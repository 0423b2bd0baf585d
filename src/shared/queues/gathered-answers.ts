interface Question<T> {
  readonly answers: T[];
  expected: number | undefined;
  finish: () => void;
}

/**
 * Gathers answers from other processes. A process that does not answer in time is left out: one that hangs must not
 * hide the others.
 */
export class GatheredAnswers<T> {
  private readonly pending = new Map<number, Question<T>>();
  private nextAsk = 0;

  constructor(private readonly waitMs: number) {}

  /** @param send sends the question with its number to all of them */
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

  /** Sets the number of processes that received the question. */
  expect(ask: number, count: number): void {
    this.update(ask, (question) => (question.expected = count));
  }

  give(ask: number, answer: T): void {
    this.update(ask, ({ answers }) => answers.push(answer));
  }

  private update(ask: number, change: (question: Question<T>) => void): void {
    const question = this.pending.get(ask);
    // The answer arrived after the question had ended.
    if (!question) return;
    change(question);
    if (question.expected !== undefined && question.answers.length >= question.expected) question.finish();
  }
}
