// Goal: answers are gathered until all that were asked have given theirs, or their time is over. Method: answers that
// come at once, late, twice and to no question.
import { GatheredAnswers } from './gathered-answers.js';

const WAIT_MS = 30;

it('is done when as many have answered as were asked', async () => {
  const answers = new GatheredAnswers<string>(60_000);
  const gathering = answers.gather((ask) => {
    answers.give(ask, 'one');
    answers.expect(ask, 2);
    setImmediate(() => answers.give(ask, 'two'));
  });
  expect(await gathering).toEqual(['one', 'two']);
});

it('is done at once where nobody was asked', async () => {
  const answers = new GatheredAnswers<string>(60_000);
  expect(await answers.gather((ask) => answers.expect(ask, 0))).toEqual([]);
});

it('leaves out who does not answer in time', async () => {
  const answers = new GatheredAnswers<string>(WAIT_MS);
  const gathering = answers.gather((ask) => {
    answers.expect(ask, 2);
    answers.give(ask, 'one');
  });
  expect(await gathering).toEqual(['one']);
  expect(() => answers.give(0, 'late')).not.toThrow();
});

it('keeps questions apart', async () => {
  const answers = new GatheredAnswers<number>(60_000);
  const asks: number[] = [];
  const first = answers.gather((ask) => void asks.push(ask));
  const second = answers.gather((ask) => void asks.push(ask));
  for (const [place, ask] of asks.entries()) {
    answers.expect(ask, 1);
    answers.give(ask, place);
  }
  expect(await Promise.all([first, second])).toEqual([[0], [1]]);
});
