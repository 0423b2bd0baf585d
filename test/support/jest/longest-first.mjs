import { relative, sep } from 'node:path';
import Sequencer from '@jest/test-sequencer';

/**
 * Files of half a minute or more, or nearly, the longest first. They wait for processes and timers: begun last, each
 * would leave the other workers without work.
 */
const LONG = [
  'test/http/operation.spec.ts',
  'test/replicas/outage.spec.ts',
  'test/replicas/engine-death.spec.ts',
  'test/tools/faults-kill.spec.ts',
  'test/replicas/stages.spec.ts',
  'test/sql/backup.spec.ts',
  'test/tools/bash.spec.ts',
  'test/http/back-pressure.spec.ts',
  'test/replicas/outlast.spec.ts',
  'test/replicas/crash.spec.ts',
  'test/sql/transfer.spec.ts',
  'test/tools/matrix/matrix.spec.ts',
  'test/messages/filters-long-texts.spec.ts',
  'test/plugins/file-parser-hostile.spec.ts',
  'test/messages/wandering.spec.ts',
  'test/sql/orm-commands.spec.ts',
  'test/http/matrix/matrix.spec.ts',
  'test/tools/matrix/vendors.spec.ts',
  'test/http/abandoned.spec.ts',
  'test/http/streams.spec.ts',
];

/**
 * jest's own order goes by how long files took last time, and on a fresh checkout by their size, which is about the
 * opposite for files that start processes.
 */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    const place = ({ path, context }) => {
      const index = LONG.indexOf(relative(context.config.rootDir, path).split(sep).join('/'));
      return index === -1 ? LONG.length : index;
    };
    const sorted = super.sort(tests);
    const isKnown = sorted.every(({ duration }) => typeof duration === 'number');
    return isKnown ? sorted : sorted.toSorted((one, other) => place(one) - place(other));
  }
}
