/**
 * Renders the pages of `docs/use` for the gateway's documentation: as HTML, in which the HTML of a source is shown and
 * not passed on, and as the texts of their sections, which its search finds. Links between these pages lead to each
 * other; of links to other documents, which the gateway does not serve, the text stays.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import MarkdownIt from 'markdown-it';
import { GUIDE_FOLDER, guideSources } from './guide-sources.mjs';

/** Writes `pages.json` into a folder. A checkout without the documents has a guide without pages. */
export function writeGuide(root, folder) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'pages.json'), JSON.stringify(renderGuide(root)));
}

/** The pages in the order of the map of documents. */
export function renderGuide(root) {
  const [map, ...sources] = guideSources(root);
  if (map === undefined) return [];
  const names = new Set(
    sources.map((path) => path.slice(GUIDE_FOLDER.length + 1, -'.md'.length).replaceAll('\\', '/')),
  );
  const tasks = tasksOf(readFileSync(join(root, map), 'utf8'));
  const ordered = new Set([...tasks.keys(), ...names].filter((name) => names.has(name)));
  return [...ordered].map((name) => ({
    ...renderPage(name, readFileSync(join(root, GUIDE_FOLDER, `${name}.md`), 'utf8'), names),
    task: tasks.get(name) ?? 'Further',
  }));
}

/** Names of pages in the order of the map, with the beginning of the entry that contains them. */
function tasksOf(map) {
  const tasks = new Map();
  let task = '';
  for (const line of map.split('\n')) {
    const words = line.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1');
    task = /^- ([^:(]+?)(?::|$)/.exec(words)?.[1] ?? task;
    for (const [, name] of line.matchAll(/\]\(use\/([\w/-]+)\.md\)/g)) tasks.set(name, task);
  }
  return tasks;
}

function renderPage(name, source, names) {
  const markdown = new MarkdownIt({ html: false });
  // Remarks for those who write the page.
  const tokens = markdown.parse(source.replaceAll(/^<!--.*-->\n/gm, ''), {});
  const sections = [];
  for (const [index, token] of tokens.entries()) {
    const inline = tokens[index + 1];
    if (token.type === 'heading_open') {
      const heading = textOf(inline);
      token.attrSet('id', anchorOf(heading));
      sections.push({ anchor: anchorOf(heading), heading, text: '' });
    } else if (token.type === 'inline') {
      followLinks(token, name, names);
    }
    const words = token.type === 'inline' ? textOf(token) : token.type === 'fence' ? token.content : '';
    const section = sections.at(-1);
    if (section !== undefined) section.text += ` ${words}`;
  }
  const [{ heading: title }] = sections;
  return {
    name,
    title,
    titleHtml: markdown.utils.escapeHtml(title),
    html: markdown.renderer.render(tokens, markdown.options, {}),
    sections: sections.map((section) => ({ ...section, text: section.text.replaceAll(/\s+/g, ' ').trim() })),
  };
}

const textOf = ({ children }) => children.map(({ type, content }) => (type === 'softbreak' ? ' ' : content)).join('');

/** Anchor of a heading, by the rule of the sites that show these pages. `test/docs.spec.ts` uses the same rule. */
const anchorOf = (heading) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');

function followLinks(inline, name, names) {
  const open = [];
  for (const token of inline.children) {
    if (token.type === 'link_open') open.push(follow(token, name, names) ? token : hide(token));
    else if (token.type === 'link_close' && open.pop() === undefined) hide(token);
  }
}

/** @returns whether the link has a target in these pages */
function follow(token, name, names) {
  const href = token.attrGet('href');
  if (href.startsWith('#')) return true;
  if (/^https?:/.test(href)) {
    token.attrSet('rel', 'noreferrer');
    return true;
  }
  const [path, anchor] = href.split('#');
  const target = posix.join(posix.dirname(name), path);
  if (!path.endsWith('.md') || !names.has(target.slice(0, -'.md'.length))) return false;
  token.attrSet('href', path.slice(0, -'.md'.length) + (anchor === undefined ? '' : `#${anchor}`));
  return true;
}

/** Removes a token of markup; the text between two of them stays. */
function hide(token) {
  Object.assign(token, { type: 'text', tag: '', nesting: 0, content: '', attrs: null });
  return undefined;
}
