import { FINDING_GROUPS, type Finding, type FindingGroup, type FindingOrigin } from './finding.js';
import type { EntryCounts, Judgement } from './judge-catalog.js';
import { pluralize } from '../../core/text/pluralize.js';
import { listLines, listNames, type ShownMax } from './print-lists.js';

const TITLES: Readonly<Record<FindingGroup, string>> = {
  stale: 'Stale',
  missing: 'Missing',
  dearer: 'Dearer',
  cheaper: 'Cheaper',
};

/** Whether a group's subjects contain more than a name, and so have a line each. */
const HAS_LINES: Readonly<Record<FindingGroup, boolean>> = { stale: true, missing: false, dearer: true, cheaper: true };

/** @param groups to report */
export function printJudgement(
  name: string,
  judgement: Judgement,
  groups: readonly FindingGroup[],
  max: ShownMax,
): string {
  const { own, findings, left } = judgement;
  const groupsOf = (origin: FindingOrigin): string =>
    printGroups(
      groups,
      findings.filter((finding) => finding.origin === origin),
      max,
    );
  return [
    `${name}: ${printCounts(judgement)}, the sandbox not counted\n`,
    ...(own ? [`In your file: ${printCounts(own)}\n`] : []),
    groupsOf('file'),
    ...(own ? ['\nIn the shipped catalog, which your file extends\n', groupsOf('shipped')] : []),
    `\nLeft with a filter\n`,
    ...left.map(
      ({ restriction, models: some, endpoints: others }) =>
        `  under ${restriction}: ${pluralize(some, 'model')}, ${pluralize(others, 'endpoint')}\n`,
    ),
  ].join('');
}

const printCounts = ({ models, endpoints, providers }: EntryCounts): string =>
  [pluralize(models, 'model'), pluralize(endpoints, 'endpoint'), pluralize(providers, 'provider')].join(', ');

const printGroups = (groups: readonly FindingGroup[], findings: readonly Finding[], max: ShownMax): string =>
  FINDING_GROUPS.filter((group) => groups.includes(group))
    .map((group) => {
      const found = findings.filter((finding) => finding.group === group);
      return `\n${TITLES[group]}\n${found.length === 0 ? '  nothing\n' : found.map((finding) => printFinding(finding, max)).join('')}`;
    })
    .join('');

function printFinding({ group, kind, words, subjects }: Finding, max: ShownMax): string {
  const head = `  ${pluralize(subjects.length, kind)}: ${words}`;
  return HAS_LINES[group] ? `${head}\n${listLines('    ', subjects, max)}` : `${head}: ${listNames(subjects, max)}\n`;
}
