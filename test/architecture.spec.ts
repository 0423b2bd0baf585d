/**
 * Goal: the floor plan of docs/architecture.md holds in the code. Method: every import of every source file, read as
 * text, is held against the table of allowed arrows; cycles, framework imports in pure rooms and unlisted rooms fail.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix, relative } from 'node:path';

const ROOT = join(__dirname, '..', 'src');

/**
 * Room → rooms it may import from. Every room may import `shared` and `core`; `shared` imports `core`; `core` nothing.
 */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  core: [],
  shared: [],
  catalog: [],
  providers: [],
  health: [],
  accounts: [],
  vault: [],
  tools: ['vault'],
  plugins: ['tools'],
  audit: ['accounts', 'vault'],
  ledger: ['accounts', 'audit'],
  limits: ['ledger'],
  keys: ['accounts', 'ledger', 'limits', 'catalog', 'audit'],
  byok: ['keys', 'accounts', 'catalog', 'providers', 'audit', 'vault'],
  guardrails: ['keys', 'accounts', 'ledger', 'catalog', 'audit'],
  routing: ['health', 'catalog', 'providers', 'byok', 'accounts'],
  inference: ['plugins', 'routing', 'limits', 'ledger', 'tools', 'guardrails', 'accounts', 'catalog'],
  messages: ['inference', 'presets'],
  chat: ['inference', 'presets'],
  explain: ['messages', 'chat', 'inference'],
  description: [],
  import: ['catalog', 'providers'],
  models: ['catalog', 'providers', 'byok', 'health', 'guardrails', 'accounts'],
  workspaces: ['keys', 'byok', 'accounts', 'ledger', 'catalog', 'guardrails', 'audit', 'plugins'],
};

/** Files at the top of `src`, which wire the rooms and may import any. */
const WIRING = /^[a-z-.]+\.ts$/;

/** Pure rooms: no framework, no database, no sockets. */
const PURE = [
  'core',
  'providers/dialects',
  'providers/catalog',
  'inference/schemas',
  'messages/schemas',
  'chat/schemas',
];
/** What `core` may import of Node: bytes, digests, turns of the event loop. */
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
const room = (file: string): string => file.split('/')[0]!;

describe('the floor plan', () => {
  it('sees the code', () => {
    expect(files.length).toBeGreaterThan(50);
    expect(inside.length).toBeGreaterThan(100);
    expect(inside.filter(({ to }) => !files.includes(to))).toEqual([]);
  });

  it('has only the rooms that are on it', () => {
    const rooms = new Set(files.filter((file) => !WIRING.test(file)).map(room));
    expect([...rooms].filter((name) => !(name in ARROWS))).toEqual([]);
  });

  it('has only the arrows that are on it', () => {
    const strays = inside.filter(({ from, to }) => {
      if (WIRING.test(from) || room(from) === room(to)) return false;
      if (room(to) === 'core') return false;
      if (room(to) === 'shared') return room(from) === 'core';
      return WIRING.test(to) || !ARROWS[room(from)]!.includes(room(to));
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
      imports.filter(({ from, to }) => room(from) === 'core' && !to.startsWith('.') && !CORE_IMPORTS.has(to)),
    ).toEqual([]);
  });

  it('keeps frameworks out of the pure rooms', () => {
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

  it('asks no engine whether an address is one (src/core/parse-url.ts)', () => {
    const asking = files.filter((file) => /URL\.canParse\(/.test(readFileSync(join(ROOT, file), 'utf8')));
    expect(asking).toEqual([]);
  });
});
