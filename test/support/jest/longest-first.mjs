import { relative, sep } from 'node:path';
import Sequencer from '@jest/test-sequencer';

/**
 * Files of about half a minute or more, the longest first. They wait for processes and timers: started last, each would
 * leave the other workers idle.
 */
const LONG = [
  'test/tools/faults-kill.spec.ts',
  'test/http/operation.spec.ts',
  'test/replicas/outage.spec.ts',
  'test/replicas/engine-death.spec.ts',
  'test/sql/backup.spec.ts',
  'test/replicas/stages.spec.ts',
  'test/sql/transfer.spec.ts',
  'test/http/matrix/matrix.spec.ts',
  'test/sql/generation-partitions.spec.ts',
  'test/tools/bash.spec.ts',
  'test/http/back-pressure.spec.ts',
  'test/replicas/outlast.spec.ts',
  'test/replicas/crash.spec.ts',
  'test/tools/matrix/matrix.spec.ts',
  'test/messages/filters-long-texts.spec.ts',
  'test/plugins/file-parser-hostile.spec.ts',
  'test/messages/provider-changes.spec.ts',
  'test/sql/embedded.spec.ts',
  'test/sql/orm-commands.spec.ts',
  'test/plugins/purchase-limits.spec.ts',
  'test/tools/matrix/vendors.spec.ts',
  'test/http/abandoned.spec.ts',
  'test/http/streams.spec.ts',
];

/**
 * jest's own order: files that failed last time, then files without a known duration, by size, then the rest by
 * duration. For files that start processes, size is about the opposite of duration, so the list decides among those
 * without one.
 */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    const place = (test) => {
      if (this.hasFailed(test)) return -1;
      if (typeof test.duration === 'number') return LONG.length + 1;
      const index = LONG.indexOf(relative(test.context.config.rootDir, test.path).split(sep).join('/'));
      return index === -1 ? LONG.length : index;
    };
    return super.sort(tests).toSorted((one, other) => place(one) - place(other));
  }
}
