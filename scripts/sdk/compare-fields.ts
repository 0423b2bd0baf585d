import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CreateChatDto } from '../../src/faces/chat/create-chat.dto.js';
import { CONVERSATION_FIELDS } from '../../src/faces/common/self-contained.js';
import { CreateMessageDto } from '../../src/faces/messages/create-message.dto.js';
import { DENIED_FIELDS } from '../../src/providers/catalog/denied-fields.js';
import { PURPOSE_FIELDS } from '../../src/providers/fitting/undeclared-fields.js';
import { DtoRules } from '../../src/shared/http/dto-rules.js';
import { fieldsOf, REQUEST_TYPES, type RequestType } from './read-types.js';

type Face = RequestType['face'];

/**
 * Fields of the SDKs that no face declares, and that providers are sent as far as their lists of fields allow it
 * (docs/use/translation.md#undeclared-fields); elsewhere they are dropped and reported. None of them changes what
 * `messages` means, costs anything besides tokens or keeps data: a field that does goes into another list.
 */
export const CARRIED_FIELDS: Readonly<Record<Face, ReadonlySet<string>>> = {
  messages: new Set(['diagnostics', 'output_format', 'safeguards']),
  chat: new Set(['moderation', 'prediction', 'prompt_cache_options', 'safety_identifier']),
};

/** Parameters that SDKs send as headers. */
const HEADER_FIELDS: ReadonlySet<string> = new Set(['betas', 'user_profile_id', 'workspace_id']);

/** The outcome for each field of an SDK's request type. */
export interface Comparison {
  readonly type: RequestType;
  /** Undefined: the package is not there. */
  readonly unknown: readonly string[] | undefined;
}

/** @param packages the folder that packages are installed in */
export const compareFields = (packages: string): readonly Comparison[] =>
  REQUEST_TYPES.map((type) => ({
    type,
    unknown: existsSync(join(packages, type.package))
      ? fieldsOf(type, packages).filter((field) => !isKnown(field, type.face))
      : undefined,
  }));

/** Carried fields of which this is no longer true: no SDK has them, or another list does. */
export function staleFields(packages: string): readonly string[] {
  return Object.entries(CARRIED_FIELDS).flatMap(([face, carried]) => {
    const types = REQUEST_TYPES.filter((type) => type.face === face);
    const sent = new Set(types.flatMap((type) => fieldsOf(type, packages)));
    return [...carried].filter((field) => !sent.has(field) || isListed(field, face as Face));
  });
}

const isKnown = (field: string, face: Face): boolean =>
  isListed(field, face) || HEADER_FIELDS.has(field) || CARRIED_FIELDS[face].has(field);

const DECLARED: Readonly<Record<Face, ReadonlySet<string>>> = {
  messages: DtoRules.of(CreateMessageDto).fields,
  chat: DtoRules.of(CreateChatDto).fields,
};

/** Declared, refused or denied. */
const isListed = (field: string, face: Face): boolean =>
  DECLARED[face].has(field) || CONVERSATION_FIELDS.has(field) || PURPOSE_FIELDS.has(field) || DENIED_FIELDS.has(field);
