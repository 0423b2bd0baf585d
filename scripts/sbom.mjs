/**
 * `npm run sbom -- [--out FILE]`: what production runs on, as a CycloneDX document (JSON, 1.5), and a table of its
 * licences. Ends with 1 where a package has none that is allowed, or is not from a registry with a checksum.
 *
 * It reads the lock file: `npm sbom --omit dev` leaves out whatever development needs as well, Nest itself among it.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const ROOT = join(import.meta.dirname, '..');
const NODE_MODULES = 'node_modules/';

/** Permissive ones: they ask for their text to travel along, and for nothing else. SPDX ids. */
const ALLOWED = new Set(['0BSD', 'Apache-2.0', 'BlueOak-1.0.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT']);

/** Packages of the production tree, by the lock file, each with the licence that it names. */
export function productionPackages(lock, readManifest) {
  return Object.entries(lock.packages)
    .filter(([path, entry]) => path !== '' && !entry.dev && !entry.devOptional && !entry.link)
    .map(([path, entry]) => ({
      name: entry.name ?? path.slice(path.lastIndexOf(NODE_MODULES) + NODE_MODULES.length),
      version: entry.version,
      licence: entry.license ?? licenceOf(readManifest(path)),
      integrity: entry.integrity,
      isOptional: entry.optional === true,
    }))
    .sort((one, other) => (one.name < other.name ? -1 : one.name > other.name ? 1 : 0));
}

/** Older packages name theirs in a list. */
function licenceOf(manifest) {
  const named = manifest?.license ?? manifest?.licenses?.[0];
  return typeof named === 'string' ? named : named?.type;
}

/** An expression is allowed where one of its alternatives is, and all that it joins. */
export function isAllowed(licence) {
  if (licence === undefined) return false;
  const words = licence.replace(/^\((.*)\)$/, '$1');
  if (words.includes('(')) return false;
  return words.split(' OR ').some((way) => way.split(' AND ').every((id) => ALLOWED.has(id)));
}

/** What keeps a package from being shipped, one sentence each. */
export const faultsOf = (packages) =>
  packages.flatMap(({ name, version, licence, integrity }) => [
    ...(isAllowed(licence) ? [] : [`${name}@${version}: its licence is not allowed: ${licence ?? 'none is named'}`]),
    ...(integrity ? [] : [`${name}@${version}: the lock file has no checksum of it`]),
  ]);

/** https://cyclonedx.org/docs/1.5/json/. No time and no number of its own: the same tree gives the same bytes. */
export const bomOf = ({ name, version, license }, packages) => ({
  $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
  bomFormat: 'CycloneDX',
  specVersion: '1.5',
  version: 1,
  metadata: {
    component: { type: 'application', 'bom-ref': `${name}@${version}`, name, version, ...licensed(license) },
  },
  components: packages.map((one) => ({
    type: 'library',
    'bom-ref': `${one.name}@${one.version}`,
    name: one.name,
    version: one.version,
    scope: one.isOptional ? 'optional' : 'required',
    purl: `pkg:npm/${one.name.replace(/^@/, '%40')}@${one.version}`,
    ...(one.integrity && { hashes: [checksum(one.integrity)] }),
    ...licensed(one.licence),
  })),
});

const licensed = (licence) =>
  licence === undefined
    ? {}
    : { licenses: [/[ ()]/.test(licence) ? { expression: licence } : { license: { id: licence } }] };

/** The lock file has base64, the document hexadecimal digits. */
function checksum(integrity) {
  const [algorithm, digest] = integrity.split(' ')[0].split(/-(.*)/s);
  return {
    alg: algorithm.toUpperCase().replace('SHA', 'SHA-'),
    content: Buffer.from(digest, 'base64').toString('hex'),
  };
}

function tableOf(packages) {
  const names = new Map();
  for (const { name, version, licence = 'none' } of packages)
    names.set(licence, [...(names.get(licence) ?? []), `${name}@${version}`]);
  return [...names]
    .sort(([, one], [, other]) => other.length - one.length)
    .map(([licence, all]) => `${licence} (${all.length}): ${all.join(', ')}\n`)
    .join('');
}

const readJson = (path) => JSON.parse(readFileSync(join(ROOT, path), 'utf8'));

function readManifest(path) {
  try {
    return readJson(join(path, 'package.json'));
  } catch {
    // Optional, and not installed here.
    return undefined;
  }
}

function run(words) {
  let out;
  try {
    out = parseArgs({ args: words, options: { out: { type: 'string' } } }).values.out;
  } catch (error) {
    process.stderr.write(`sbom: ${error.message}\nnpm run sbom -- [--out FILE]\n`);
    return 2;
  }
  const packages = productionPackages(readJson('package-lock.json'), readManifest);
  const path = out ?? join(ROOT, 'sbom.cdx.json');
  writeFileSync(path, `${JSON.stringify(bomOf(readJson('package.json'), packages), undefined, 2)}\n`);
  process.stdout.write(`${tableOf(packages)}${packages.length} packages, in ${path}\n`);
  const faults = faultsOf(packages);
  for (const fault of faults) process.stderr.write(`sbom: ${fault}\n`);
  return faults.length === 0 ? 0 : 1;
}

if (import.meta.filename === process.argv[1]) process.exitCode = run(process.argv.slice(2));
