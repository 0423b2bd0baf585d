/**
 * Checks that the code follows the module plan of docs/contribute/architecture.md. Every import of every source file,
 * read as text, is compared with the table of allowed imports; cycles, framework imports in pure modules and unlisted
 * modules fail.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix, relative } from 'node:path';

const ROOT = join(__dirname, '..', 'src');

/**
 * Module → modules it may import from. Every module may import `shared` and `core`; `shared` imports `core`; `core`
 * nothing.
 */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  core: [],
  shared: [],
  catalog: [],
  providers: [],
  'endpoint-health': [],
  accounts: [],
  vault: [],
  tools: ['vault'],
  plugins: ['tools'],
  audit: ['accounts', 'vault'],
  management: ['audit', 'accounts'],
  ledger: ['accounts', 'audit', 'management', 'catalog'],
  'rate-limits': ['ledger'],
  keys: ['accounts', 'ledger', 'rate-limits', 'catalog', 'audit', 'management'],
  byok: ['keys', 'accounts', 'catalog', 'providers', 'audit', 'management', 'vault'],
  destinations: ['keys', 'accounts', 'ledger', 'audit', 'management', 'vault'],
  alarms: ['destinations', 'keys', 'accounts', 'ledger', 'catalog', 'endpoint-health', 'audit', 'management'],
  guardrails: ['keys', 'accounts', 'ledger', 'catalog', 'audit', 'management'],
  routing: ['endpoint-health', 'catalog', 'providers', 'byok', 'accounts', 'ledger'],
  inference: [
    'plugins',
    'routing',
    'rate-limits',
    'ledger',
    'tools',
    'guardrails',
    'accounts',
    'catalog',
    'kept-replies',
  ],
  faces: ['inference', 'plugins', 'tools', 'routing', 'presets', 'kept-replies'],
  'kept-replies': ['ledger', 'vault'],
  presets: ['accounts', 'management'],
  explain: ['faces', 'inference', 'ledger', 'presets'],
  console: ['keys', 'accounts', 'management', 'rate-limits'],
  description: [],
  import: ['catalog', 'providers'],
  models: ['catalog', 'providers', 'byok', 'endpoint-health', 'guardrails', 'accounts', 'presets'],
  budgets: ['accounts', 'ledger', 'audit', 'management'],
  workspaces: [
    'keys',
    'byok',
    'accounts',
    'ledger',
    'catalog',
    'guardrails',
    'destinations',
    'audit',
    'management',
    'plugins',
  ],
};

/**
 * Files at the top of `src`, what starts the process, and the command line: they wire the modules and may import any.
 */
const WIRING = /^(?:(?:bootstrap|cli)\/)?[a-z-.]+\.ts$/;

/** Pure modules: no framework, no database, no sockets. */
const PURE = [
  'core',
  'providers/dialects',
  'providers/model-rules',
  'providers/catalog',
  'plugins/moderation/harm',
  'guardrails/detectors',
  'faces/common/schemas',
  'faces/messages/schemas',
  'faces/chat/schemas',
  'faces/responses/schemas',
];
/** The parts of Node that `core` may import: bytes, digests, turns of the event loop. */
const CORE_IMPORTS: ReadonlySet<string> = new Set(['node:buffer', 'node:crypto', 'node:timers/promises']);
const FRAMEWORK = /^(@nestjs\/|typeorm|express|rxjs|class-validator|class-transformer|pg|undici|ioredis)/;

interface Import {
  readonly from: string;
  readonly to: string;
}

function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.name.endsWith('.spec.ts'))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)).split('\\').join('/'));
}

const files = sources(ROOT);
const imports: Import[] = files.flatMap((file) => {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const specifiers = [
    ...text.matchAll(/^(?:import|export)\b[^;]*?\bfrom '([^']+)'|\bimport\('([^']+)'\)|^import '([^']+)'/gm),
  ];
  return specifiers.map(([, named, dynamic, bare]) => ({ from: file, to: (named ?? dynamic ?? bare)! }));
});

const inside = imports
  .filter(({ to }) => to.startsWith('.'))
  .map(({ from, to }) => ({ from, to: posix.join(dirname(from), to).replace(/\.js$/, '.ts') }));
const moduleOf = (file: string): string => file.split('/')[0]!;

describe('the module plan', () => {
  it('is that of docs/contribute/architecture.md', () => {
    const page = readFileSync(join(ROOT, '..', 'docs', 'contribute', 'architecture.md'), 'utf8');
    const table = /^## Modules$[^]*?(?=^## )/m.exec(page)![0];
    const rows = [...table.matchAll(/^\| `([a-z-]+)` \| [^|]* \| ([^|]*) \|$/gm)];
    const arrows = rows.map(([, name, allowed]) => [
      name,
      [...allowed!.matchAll(/`([a-z-]+)`/g)].map(([, one]) => one),
    ]);
    const plan = Object.entries(ARROWS).map(([name, allowed]) => [name, name === 'core' ? ['shared'] : [...allowed]]);
    const sorted = (list: readonly (readonly unknown[])[]): string[] =>
      list.map(([name, allowed]) => `${String(name)}: ${(allowed as string[]).toSorted().join(' ')}`).toSorted();
    expect(sorted(arrows)).toEqual(sorted(plan));
  });

  it('sees the code', () => {
    expect(files.length).toBeGreaterThan(50);
    expect(inside.length).toBeGreaterThan(100);
    expect(inside.filter(({ to }) => !files.includes(to))).toEqual([]);
  });

  it('has only the modules of the table', () => {
    const modules = new Set(files.filter((file) => !WIRING.test(file)).map(moduleOf));
    expect([...modules].filter((name) => !(name in ARROWS))).toEqual([]);
  });

  it('has only the imports of the table', () => {
    const strays = inside.filter(({ from, to }) => {
      if (WIRING.test(from) || moduleOf(from) === moduleOf(to)) return false;
      if (moduleOf(to) === 'core') return false;
      if (moduleOf(to) === 'shared') return moduleOf(from) === 'core';
      return WIRING.test(to) || !ARROWS[moduleOf(from)]!.includes(moduleOf(to));
    });
    expect(strays).toEqual([]);
  });

  it('keeps the faces apart: they share what is in faces/common, which knows none of them', () => {
    const face = (file: string): string | undefined => /^faces\/([a-z-]+)\//.exec(file)?.[1];
    const strays = inside.filter(({ from, to }) => {
      const [own, other] = [face(from), face(to)];
      return own !== undefined && other !== undefined && own !== other && other !== 'common';
    });
    expect(strays).toEqual([]);
  });

  it('has no cycle of files', () => {
    const targets = new Map<string, string[]>();
    for (const { from, to } of inside) targets.set(from, [...(targets.get(from) ?? []), to]);
    const done = new Set<string>();
    const walk = (file: string, path: readonly string[]): string[] | undefined => {
      if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
      if (done.has(file)) return undefined;
      for (const next of targets.get(file) ?? []) {
        const cycle = walk(next, [...path, file]);
        if (cycle) return cycle;
      }
      done.add(file);
      return undefined;
    };
    for (const file of files) expect(walk(file, [])).toBeUndefined();
  });

  it('keeps core to itself and what of Node reads and writes nothing', () => {
    expect(
      imports.filter(({ from, to }) => moduleOf(from) === 'core' && !to.startsWith('.') && !CORE_IMPORTS.has(to)),
    ).toEqual([]);
  });

  it('keeps frameworks out of the pure modules', () => {
    const strays = imports.filter(
      ({ from, to }) => PURE.some((pure) => from.startsWith(`${pure}/`)) && FRAMEWORK.test(to),
    );
    expect(strays).toEqual([]);
  });

  it('has no barrels, no forward references and no request-scoped providers', () => {
    for (const file of files) {
      const text = readFileSync(join(ROOT, file), 'utf8');
      expect({ file, hit: /forwardRef\(|Scope\.REQUEST|^export \* from/m.exec(text)?.[0] }).toEqual({
        file,
        hit: undefined,
      });
    }
  });

  it('declares bodies, queries and fields by decorators that guards and the description read', () => {
    const judges = /^shared\/http\/(?:fits\.decorator|may-omit\.decorator|dto\.pipe)\.ts$/;
    expect(imports.filter(({ from, to }) => to === 'class-validator' && !judges.test(from))).toEqual([]);
    const undeclared = files.filter((file) => /@(?:Body|Query)\(/.test(readFileSync(join(ROOT, file), 'utf8')));
    expect(undeclared).toEqual([]);
  });

  it('leaves no check of an address to the engine (src/core/parse-url.ts)', () => {
    const found = files.filter((file) => /URL\.canParse\(/.test(readFileSync(join(ROOT, file), 'utf8')));
    expect(found).toEqual([]);
  });
});
