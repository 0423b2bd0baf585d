import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync, type Module, type TsTypeElement } from '@swc/core';

/** A request type of an SDK, and the face that receives its requests. */
export interface RequestType {
  readonly package: string;
  readonly file: string;
  /** The name of an interface, or of the alias of an object type. */
  readonly name: string;
  readonly face: 'messages' | 'chat';
}

/** The SDKs that are development packages here; both majors of those that have two. */
export const REQUEST_TYPES: readonly RequestType[] = [
  ...['@anthropic-ai/sdk', '@anthropic-ai/sdk-v0'].flatMap((name) =>
    ['resources/messages/messages.d.ts', 'resources/beta/messages/messages.d.ts'].map((file): RequestType => ({
      package: name,
      file,
      name: 'MessageCreateParamsBase',
      face: 'messages',
    })),
  ),
  {
    package: 'openai',
    file: 'resources/chat/completions/completions.d.ts',
    name: 'ChatCompletionCreateParamsBase',
    face: 'chat',
  },
  ...['@openrouter/sdk', 'openrouter-sdk-0'].flatMap((name): RequestType[] => [
    // The public names of these types are in another case than the fields that are sent.
    { package: name, file: 'esm/models/chatrequest.d.ts', name: 'ChatRequest$Outbound', face: 'chat' },
    { package: name, file: 'esm/models/messagesrequest.d.ts', name: 'MessagesRequest$Outbound', face: 'messages' },
  ]),
];

/**
 * The fields of a request type, in the order of their declaration.
 * @param packages the folder that packages are installed in
 * @throws where the type is not declared: an SDK that moves it must not pass for one without fields
 */
export function fieldsOf({ package: from, file, name }: RequestType, packages: string): readonly string[] {
  const program = parseSync(readFileSync(join(packages, from, file), 'utf8'), {
    syntax: 'typescript',
    target: 'es2022',
  });
  const members = membersOf(program, name);
  if (members === undefined) throw new Error(`${from}/${file} does not declare ${name}.`);
  return members.flatMap((member) =>
    member.type === 'TsPropertySignature' && (member.key.type === 'Identifier' || member.key.type === 'StringLiteral')
      ? [member.key.value]
      : [],
  );
}

function membersOf({ body }: Module, name: string): readonly TsTypeElement[] | undefined {
  for (const statement of body) {
    const declared = statement.type === 'ExportDeclaration' ? statement.declaration : statement;
    if (declared.type === 'TsInterfaceDeclaration' && declared.id.value === name) return declared.body.body;
    if (declared.type !== 'TsTypeAliasDeclaration' || declared.id.value !== name) continue;
    return declared.typeAnnotation.type === 'TsTypeLiteral' ? declared.typeAnnotation.members : undefined;
  }
  return undefined;
}
