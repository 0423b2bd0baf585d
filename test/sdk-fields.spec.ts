// Checks that each field that an SDK may send has a decision here. The request types of the installed SDKs are read;
// then a made-up package whose type has one field more, one that lacks the type, and a folder without packages.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { compareFields, staleFields } from '../scripts/sdk/compare-fields.js';
import { fieldsOf, REQUEST_TYPES } from '../scripts/sdk/read-types.js';

const PACKAGES = join(__dirname, '../node_modules');

it('the installed SDKs have no field that is not decided on: otherwise see `npm run sdk:fields`', () => {
  expect(compareFields(PACKAGES).filter(({ unknown }) => unknown?.length !== 0)).toEqual([]);
  expect(staleFields(PACKAGES)).toEqual([]);
});

it('each request type is read whole', () => {
  for (const type of REQUEST_TYPES) {
    const fields = fieldsOf(type, PACKAGES);
    expect([type.package, fields]).toEqual([type.package, expect.arrayContaining(['model', 'messages', 'max_tokens'])]);
    const declared = new RegExp(`(?:interface|type) ${type.name.replace('$', '\\$')}(?: =)? \\{\\n([^]*?)\\n\\}`);
    const text = declared.exec(readFileSync(join(PACKAGES, type.package, type.file), 'utf8'))![1]!;
    expect(fields).toEqual([...text.matchAll(/^ {4}(\w+)\??:/gm)].map(([, name]) => name));
  }
});

describe('of other packages', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'fairlead-sdk-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const FILE = 'openai/resources/chat/completions/completions.d.ts';
  const write = (text: string): void => {
    mkdirSync(dirname(join(folder, FILE)), { recursive: true });
    writeFileSync(join(folder, FILE), text);
  };
  const unknown = (): unknown[] => compareFields(folder).flatMap(({ unknown: fields }) => fields ?? []);

  it('a new field is reported by its name', () => {
    write('export interface ChatCompletionCreateParamsBase { model: string; owl?: { hoot: string }; "x-y"?: 1; thread?: {} }');
    expect(unknown()).toEqual(['owl', 'x-y']);
  }); // oxfmt-ignore

  it('a type that has moved is no type without fields', () => {
    write('export interface ChatCompletionCreateParams { model: string }');
    expect(unknown).toThrow('does not declare ChatCompletionCreateParamsBase');
  });

  it('a missing package is distinguished from one without new fields', () => {
    expect(compareFields(folder).every(({ unknown: fields }) => fields === undefined)).toBe(true);
  });
});
