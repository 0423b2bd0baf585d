// Answers are gathered until all queried processes have answered, or the time is over. Answers that come at once, late,
// twice and to no question.
import { GatheredAnswers } from './gathered-answers.js';

const WAIT_MS = 30;

it('is done when as many have answered as were queried', async () => {
  const answers = new GatheredAnswers<string>(60_000);
  const gathering = answers.gather((ask) => {
    answers.give(ask, 'one');
    answers.expect(ask, 2);
    setImmediate(() => answers.give(ask, 'two'));
  });
  expect(await gathering).toEqual(['one', 'two']);
});

it('is done at once where no process was queried', async () => {
  const answers = new GatheredAnswers<string>(60_000);
  expect(await answers.gather((ask) => answers.expect(ask, 0))).toEqual([]);
});

it('leaves out a process that does not answer in time', async () => {
  const answers = new GatheredAnswers<string>(WAIT_MS);
  const gathering = answers.gather((ask) => {
    answers.expect(ask, 2);
    answers.give(ask, 'one');
  });
  expect(await gathering).toEqual(['one']);
  expect(() => answers.give(0, 'late')).not.toThrow();
});

it('separates questions', async () => {
  const answers = new GatheredAnswers<number>(60_000);
  const requests: number[] = [];
  const first = answers.gather((ask) => void requests.push(ask));
  const second = answers.gather((ask) => void requests.push(ask));
  for (const [index, ask] of requests.entries()) {
    answers.expect(ask, 1);
    answers.give(ask, index);
  }
  expect(await Promise.all([first, second])).toEqual([[0], [1]]);
});
