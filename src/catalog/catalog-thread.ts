import { parentPort } from 'node:worker_threads';
import { judgeContent } from './catalog-files.js';
import { parcelOf, type CatalogJob } from './catalog-parcel.js';

/** A thread of `judgeAside`: content and variables come in, what came of them goes out. */
parentPort!.on('message', ({ content, variables, known }: CatalogJob) => {
  parentPort!.postMessage(parcelOf(judgeContent(content, (name) => variables[name], known)));
});

// It has been loaded.
parentPort!.postMessage(undefined);
