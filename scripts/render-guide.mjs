/**
 * Renders the pages of `docs/use` for the gateway's reference: as HTML, in which the HTML of a source is shown and not
 * passed on, and as the texts of their sections, which the reference searches. Links between these pages lead to each
 * other; of links to other documents, which the gateway does not serve, the words stay.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import MarkdownIt from 'markdown-it';
import { GUIDE_FOLDER, guideSources } from './guide-sources.mjs';

/** Writes `pages.json` and `guide.json` into a folder. A checkout without the documents has a guide without pages. */
export function writeGuide(root, folder) {
  const pages = renderGuide(root);
  mkdirSync(folder, { recursive: true });
  const write = (name, value) => writeFileSync(join(folder, name), JSON.stringify(value));
  write(
    'pages.json',
    pages.map(({ name, titleHtml, html }) => ({ name, titleHtml, html })),
  );
  write(
    'guide.json',
    pages.map(({ name, title, sections }) => ({ name, title, sections })),
  );
}

/** The pages in the order of the map of documents. */
export function renderGuide(root) {
  const [map, ...sources] = guideSources(root);
  if (map === undefined) return [];
  const names = new Set(
    sources.map((path) => path.slice(GUIDE_FOLDER.length + 1, -'.md'.length).replaceAll('\\', '/')),
  );
  const order = [...readFileSync(join(root, map), 'utf8').matchAll(/\]\(use\/([\w/-]+)\.md\)/g)].map(
    ([, name]) => name,
  );
  const ordered = new Set([...order, ...names].filter((name) => names.has(name)));
  return [...ordered].map((name) =>
    renderPage(name, readFileSync(join(root, GUIDE_FOLDER, `${name}.md`), 'utf8'), names),
  );
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

/** As on the sites that show these pages, and as `test/docs.spec.ts` looks anchors up. */
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

/** @returns whether the link leads anywhere */
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

/** Its words stay. */
function hide(token) {
  Object.assign(token, { type: 'text', tag: '', nesting: 0, content: '', attrs: null });
  return undefined;
}
