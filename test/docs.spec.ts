/**
 * Goal: what code and pages refer to is there, so whoever reads a rule's name finds the rule. Method: pages,
 * code and scripts are read as text; every page that is named, every heading behind a `#` and every link
 * between pages is looked up.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix, relative } from 'node:path';

const ROOT = join(__dirname, '..');
const INDEX = 'docs/README.md';
/** Longest line of a comment, in characters: oxfmt leaves comments as they are. */
const COLUMNS_MAX = 120;

const NOT_OURS = new Set(['node_modules', 'dist', 'recordings']);

/** Files below a folder whose names end so, by their paths from the root. */
function filesIn(folder: string, endings: readonly string[]): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = posix.join(folder, entry.name);
    if (entry.isDirectory()) return NOT_OURS.has(entry.name) ? [] : filesIn(path, endings);
    return endings.some((ending) => entry.name.endsWith(ending)) ? [path] : [];
  });
}

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const pages = ['README.md', 'CONTRIBUTING.md', ...filesIn('docs', ['.md'])];
const code = ['src', 'test', 'scripts', 'bench']
  .flatMap((folder) => filesIn(folder, ['.ts', '.mjs', '.js', '.sql', '.sh']))
  .filter((path) => path !== relative(ROOT, __filename));

/** The anchor of a heading, as the sites that show these pages make it. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');

const anchorsOf = new Map<string, ReadonlySet<string>>();

/** Undefined where there is such a heading, or, without one, such a file or folder; else what is missing. */
function missing(path: string, anchor: string | undefined): string | undefined {
  if (!existsSync(join(ROOT, path))) return path;
  if (anchor === undefined) return undefined;
  let anchors = anchorsOf.get(path);
  if (!anchors) {
    const headings = read(path)
      .replace(/^```[^]*?^```/gm, '')
      .matchAll(/^#+ (.+)$/gm);
    anchorsOf.set(path, (anchors = new Set([...headings].map(([, heading]) => anchorOf(heading!)))));
  }
  return anchors.has(anchor) ? undefined : `${path}#${anchor}`;
}

/** A citation may run over the end of a line, also of a comment. */
const withoutLines = (text: string): string => text.replace(/\n\s*(?:\*|\/\/)? ?/g, ' ');

interface Reference {
  readonly file: string;
  readonly path: string;
  readonly anchor: string | undefined;
}

const unresolved = (references: readonly Reference[]): string[] =>
  references.flatMap(({ file, path, anchor }) => {
    const absent = missing(path, anchor);
    return absent === undefined ? [] : [`${file}: ${absent}`];
  });

const named = [...code, ...pages].flatMap((file) =>
  [...read(file).matchAll(/\b(docs\/[\w/-]+\.md)(?:#([\w-]+))?/g)].map(([, path, anchor]): Reference => ({
    file,
    path: path!,
    anchor,
  })),
);

const links = pages.flatMap((file) =>
  [...read(file).matchAll(/\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]+))?\)/g)].map(([, path, anchor]): Reference => ({
    file,
    path: path === '' ? file : posix.join(dirname(file), path!),
    anchor,
  })),
);

/** Texts that hold a class, by its name. */
const classes = new Map(
  code
    .filter((path) => path.startsWith('src/') && !path.endsWith('.spec.ts'))
    .flatMap((path) => [...read(path).matchAll(/^export (?:abstract )?(?:class|interface) (\w+)[^]*?^}/gm)])
    .map(([body, name]) => [name!, body]),
);

/** Imports of single files within packages, by sources, specs and what specs are made with. */
const deepImports = code
  .filter((path) => /^(?:src|test\/support)\//.test(path) || path.endsWith('.spec.ts'))
  .flatMap((file) =>
    [...read(file).matchAll(/\b(?:from|import) ?\(?'((?:@[\w.-]+\/)?[\w.-]+\/[\w./-]+\.(?:c|m)?js)'/g)]
      .filter(([, module]) => !module!.startsWith('.') && !module!.startsWith('node:'))
      .map(([, module]) => ({ file, module: module! })),
  );

describe('the documentation', () => {
  it('has every page and heading that code and pages name', () => {
    expect(named.length).toBeGreaterThan(300);
    expect(unresolved(named)).toEqual([]);
  });

  it('has every page and heading that a page links to', () => {
    expect(links.length).toBeGreaterThan(100);
    expect(unresolved(links)).toEqual([]);
  });

  it('has every decision that code names by its number', () => {
    const decisions = new Set(filesIn('docs/decisions', ['.md']).map((path) => posix.basename(path).slice(0, 4)));
    const absent = code.flatMap((file) =>
      [...read(file).matchAll(/\b(?:docs\/decisions\/|decision )(\d{4})\b/g)]
        .filter(([, number]) => !decisions.has(number!))
        .map(([whole]) => `${file}: ${whole}`),
    );
    expect(absent).toEqual([]);
  });

  it('has every row of failures that tests and pages name by its number', () => {
    const rows = new Set(
      filesIn('docs/reasons', ['.md']).flatMap((path) =>
        [...read(path).matchAll(/^((?:[A-G]\d\d(?:, )?)+)\./gm)].flatMap(([, ids]) => ids!.split(', ')),
      ),
    );
    const byNumber = ['test/http/translation-failures.spec.ts', 'docs/security.md', 'docs/translation.md'];
    const used = byNumber.flatMap((file) =>
      [...read(file).matchAll(/(?<=[|'"`,] ?)[A-G]\d\d(?=[:, ])/g)].map(([id]) => id),
    );
    expect(used.length).toBeGreaterThan(30);
    expect(used.filter((id) => !rows.has(id))).toEqual([]);
  });

  it('names tests for every row of failures of translation, and each is there', () => {
    const rows = [...read('docs/reasons/translation.md').matchAll(/^(A\d\d)\./gm)].map(([, id]) => id);
    const section = read('docs/translation.md').split('## Failures of the field')[1]!;
    const table = [...section.matchAll(/^\| (A\d\d) \| [^|]+ \| ([^|]+) \|/gm)];
    expect(table.map(([, id]) => id)).toEqual(rows);
    const absent = table.flatMap(([, id, tests]) => {
      const named = [...tests!.matchAll(/`([\w/.-]+\.spec\.ts)`(?: \("([^"]+)"\))?/g)];
      const missed = named.filter(([, path, title]) => {
        const source = read(path!);
        // A test that is not named has the number at the beginning of its name.
        return title === undefined ? !new RegExp(`['"](?:A\\d\\d, )*${id}[:,]`).test(source) : !source.includes(title);
      });
      return named.length === 0 ? [`${id}: none`] : missed.map(([one]) => `${id}: ${one}`);
    });
    expect(absent).toEqual([]);
  });

  it('is all there is: nobody cites a document that is not in the repository', () => {
    const absent = /\b(?:WIRE|DESIGN|FAILURES|STYLE|SCOPE|Scope|DEPENDENCIES)(?: [A-G]?\d|, (?:principle|precedence))/g;
    const citing = [...code, ...pages].flatMap((file) =>
      [...withoutLines(read(file)).matchAll(absent)].map(([citation]) => `${file}: ${citation}`),
    );
    expect(citing).toEqual([]);
  });

  it('names files that are there', () => {
    // Decisions tell of their day.
    const current = pages.filter((page) => !page.startsWith('docs/decisions/'));
    const absent = current.flatMap((page) =>
      [...read(page).matchAll(/`((?:src|test|scripts|bench)\/[\w./-]+\.(?:ts|mjs|sql|sh))`/g)]
        .filter(([, path]) => !existsSync(join(ROOT, path!)))
        .map(([, path]) => `${page}: ${path}`),
    );
    expect(absent).toEqual([]);
  });

  it('has every file that the order and the rings of tests name', () => {
    const lists = ['test/support/jest/longest-first.mjs', 'jest.config.js'].map((list) => ({
      list,
      paths: [...read(list).matchAll(/'(test\/[\w./-]+)'/g)].map(([, path]) => path!),
    }));
    for (const { paths } of lists) expect(paths.length).toBeGreaterThan(10);
    const absent = lists.flatMap(({ list, paths }) =>
      paths.filter((path) => !existsSync(join(ROOT, path))).map((path) => `${list}: ${path}`),
    );
    expect(absent).toEqual([]);
  });

  it('names members of classes that are there', () => {
    const named = pages
      .filter((page) => !page.startsWith('docs/decisions/') && page !== 'CONTRIBUTING.md')
      .flatMap((page) =>
        [...read(page).matchAll(/`([A-Z]\w+)\.([a-z]\w*)(?:\([^`]*\))?`/g)].map(([, owner, member]) => ({
          page,
          owner: owner!,
          member: member!,
        })),
      )
      .filter(({ owner }) => !(owner in globalThis));
    expect(named.length).toBeGreaterThan(2);
    const absent = named.filter(({ owner, member }) => {
      const declared = new RegExp(`(?:^ {2}(?:[a-z]+ )*\\*?|\\breadonly )${member}\\b`, 'm');
      return !declared.test(classes.get(owner) ?? '');
    });
    expect(absent).toEqual([]);
  });

  it('says of every import from within a package that an upgrade may break it', () => {
    expect(deepImports.length).toBeGreaterThan(3);
    const list = read('CONTRIBUTING.md').split('## Before an upgrade')[1]!;
    expect(deepImports.filter(({ module }) => !list.includes(`\`${module}\``))).toEqual([]);
  });

  it('has an index of all pages', () => {
    const linked = new Set(links.filter(({ file }) => file === INDEX).map(({ path }) => path));
    expect(filesIn('docs', ['.md']).filter((page) => page !== INDEX && !linked.has(page))).toEqual([]);
  });
});

describe('comments', () => {
  it(`have lines of ${COLUMNS_MAX} columns at most`, () => {
    const long = code
      .filter((path) => path.endsWith('.ts') || path.endsWith('.mjs'))
      .flatMap((file) =>
        read(file)
          .split('\n')
          .flatMap((line, index) =>
            /^\s*(?:\/\/|\/\*|\*(?: |$))/.test(line) && [...line].length > COLUMNS_MAX ? [`${file}:${index + 1}`] : [],
          ),
      );
    expect(long).toEqual([]);
  });
});
