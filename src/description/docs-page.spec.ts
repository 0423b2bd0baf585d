// Goal: no text of a document can become markup of the page, and the policy lets through its style and nothing else.
// Method: a document whose every text is hostile; the style's hash is computed again.
import { createHash } from 'node:crypto';
import { CONTENT_SECURITY_POLICY, printPage } from './docs-page.js';

const EVIL = `<script>alert("1")</script>' onclick='x`;

describe('printPage', () => {
  const page = printPage({
    info: { title: EVIL, version: EVIL, description: EVIL },
    servers: [{ url: EVIL, description: EVIL }],
    tags: [{ name: EVIL, description: EVIL }],
    paths: {
      [`/${EVIL}`]: {
        servers: [{ url: '/' }],
        post: {
          operationId: 'evil',
          tags: [EVIL],
          summary: EVIL,
          description: `${EVIL} and \`${EVIL}\``,
          parameters: [{ name: EVIL, in: EVIL, required: true, description: EVIL, schema: { enum: [EVIL] } }],
          requestBody: {
            content: { 'application/json': { schema: { const: EVIL }, examples: { [EVIL]: { value: EVIL } } } },
          },
          responses: { [EVIL]: { description: EVIL, content: { [EVIL]: { schema: { const: EVIL } } } } },
        },
      },
    },
    components: {
      schemas: { [EVIL]: { const: EVIL } },
      responses: { [EVIL]: { description: EVIL } },
      securitySchemes: { [EVIL]: { name: EVIL, description: EVIL } },
    },
  });

  it('escapes every text', () => {
    expect(page).toContain('&lt;script&gt;');
    expect(page).not.toContain('<script');
    expect(page).not.toContain(`alert("1")`);
    expect(page).not.toContain(`' onclick`);
  });

  it('is one page for one language, with a way past the list', () => {
    expect(page).toMatch(/^<!doctype html>\n<html lang="en">/);
    expect(page).toContain('<a class="skip" href="#main">');
    expect(page).toContain('<main id="main">');
  });

  it('has one style, which the policy names', () => {
    const [, style] = /<style>([^<]*)<\/style>/.exec(page)!;
    const hash = createHash('sha256').update(style!).digest('base64');
    expect(CONTENT_SECURITY_POLICY).toContain(`style-src 'sha256-${hash}';`);
  });
});
