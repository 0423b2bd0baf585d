import { parentPort } from 'node:worker_threads';
import { judgeContent } from './catalog-files.js';
import { packJudgement, type CatalogJob } from './judgement-transfer.js';

/** The thread of `judgeInThread`: receives content and variables, returns the judgement. */
parentPort!.on('message', ({ content, variables, known }: CatalogJob) => {
  parentPort!.postMessage(packJudgement(judgeContent(content, (name) => variables[name], known)));
});

// Signals that it has been loaded.
parentPort!.postMessage(undefined);
