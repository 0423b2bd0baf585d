/**
 * `npm run sbom -- [--out FILE]`: the production dependencies as a CycloneDX document (JSON, 1.5), and a table of their
 * licences. Exits with 1 where a package has no allowed licence, or is not from a registry with a checksum.
 * The document is made by `@cyclonedx/cyclonedx-npm` from the installed tree. The checksums are those of the lock file:
 * the package only reads them beside a registry's address, which this lock file omits.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const ROOT = join(import.meta.dirname, '..');
const TOOL = join(ROOT, 'node_modules', '@cyclonedx', 'cyclonedx-npm', 'bin', 'cyclonedx-npm-cli.js');
/** The property of a component with its folder, as the lock file names it. */
const FOLDER = 'cdx:npm:package:path';
const BYTES_MAX = 64 * 1024 * 1024;

/** Permissive licences: they only require that their text is included. SPDX ids. */
const ALLOWED = new Set(['0BSD', 'Apache-2.0', 'BlueOak-1.0.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT']);

/** Without a time or serial number: the same tree gives the same bytes. */
function makeDocument() {
  const options = [
    '--omit=dev',
    '--spec-version=1.5',
    '--output-format=JSON',
    '--output-reproducible',
    '--short-PURLs',
  ];
  // The tool's schema check needs packages with install scripts.
  const words = [TOOL, ...options, '--flatten-components', '--no-validate', '--output-file=-'];
  return JSON.parse(execFileSync(process.execPath, words, { cwd: ROOT, encoding: 'utf8', maxBuffer: BYTES_MAX }));
}

/** Components with the checksums of their folders in a lock file. */
export const withChecksums = (components, { packages }) =>
  components.map((component) => {
    const folder = component.properties?.find(({ name }) => name === FOLDER)?.value;
    const integrity = packages[folder]?.integrity;
    return integrity === undefined ? component : { ...component, hashes: [checksum(integrity)] };
  });

/** The lock file has base64, the document hexadecimal digits. */
function checksum(integrity) {
  const [algorithm, digest] = integrity.split(' ')[0].split(/-(.*)/s);
  return {
    alg: algorithm.toUpperCase().replace('SHA', 'SHA-'),
    content: Buffer.from(digest, 'base64').toString('hex'),
  };
}

/** Several licences apply together, as in an AND expression. */
const licenceOf = ({ licenses }) =>
  licenses?.map(({ expression, license }) => expression ?? license.id ?? license.name).join(' AND ');

/** An OR expression is allowed where one of its alternatives is, an AND expression where all its parts are. */
export function isAllowed(licence) {
  if (licence === undefined) return false;
  const words = licence.replace(/^\((.*)\)$/, '$1');
  if (words.includes('(')) return false;
  return words.split(' OR ').some((way) => way.split(' AND ').every((id) => ALLOWED.has(id)));
}

const nameOf = ({ group, name, version }) => `${group === undefined ? '' : `${group}/`}${name}@${version}`;

/** Reasons against shipping a package, one sentence each. */
export const faultsOf = (components) =>
  components.flatMap((one) => [
    ...(isAllowed(licenceOf(one))
      ? []
      : [`${nameOf(one)}: its licence is not allowed: ${licenceOf(one) ?? 'none is named'}`]),
    ...(one.hashes ? [] : [`${nameOf(one)}: the lock file has no checksum of it`]),
  ]);

function tableOf(components) {
  const names = new Map();
  for (const one of components) {
    const licence = licenceOf(one) ?? 'none';
    names.set(licence, [...(names.get(licence) ?? []), nameOf(one)]);
  }
  return [...names]
    .sort(([, one], [, other]) => other.length - one.length)
    .map(([licence, all]) => `${licence} (${all.length}): ${all.join(', ')}\n`)
    .join('');
}

function run(words) {
  let out;
  try {
    out = parseArgs({ args: words, options: { out: { type: 'string' } } }).values.out;
  } catch (error) {
    process.stderr.write(`sbom: ${error.message}\nnpm run sbom -- [--out FILE]\n`);
    return 2;
  }
  const made = makeDocument();
  const components = withChecksums(made.components, JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')));
  const path = out ?? join(ROOT, 'sbom.cdx.json');
  writeFileSync(path, `${JSON.stringify({ ...made, components }, undefined, 2)}\n`);
  process.stdout.write(`${tableOf(components)}${components.length} packages, in ${path}\n`);
  const faults = faultsOf(components);
  for (const fault of faults) process.stderr.write(`sbom: ${fault}\n`);
  return faults.length === 0 ? 0 : 1;
}

if (import.meta.filename === process.argv[1]) process.exitCode = run(process.argv.slice(2));
