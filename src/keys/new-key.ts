import type { KeyKind } from '../core/caller.js';
import { hashKey } from '../core/ids.js';
import type { PicoUsd } from '../core/money/credits.js';
import type { Tags } from '../core/tags.js';
import type { DefaultWorkspace } from '../accounts/account-directory.js';
import type { ApiKeyEntity, KeyRestrictions, LimitReset } from './api-key.entity.js';

/** The description of a key to be made. */
export interface KeyDescription extends KeyRestrictions {
  readonly name: string;
  readonly kind: KeyKind;
  readonly limitUsd: PicoUsd | null;
  readonly limitReset: LimitReset | null;
  readonly includeByokInLimit: boolean;
  readonly tags: Tags | null;
  readonly creatorUserId: string | null;
  readonly externalUser: string | null;
  readonly expiresAt: Date | null;
}

/** Without restrictions. */
export const UNRESTRICTED: KeyRestrictions = { rateLimits: null, allowedModels: null, egress: null };

/** A key without limit, end or user. */
export const plainKey = (name: string, kind: KeyKind): KeyDescription => ({
  name,
  kind,
  limitUsd: null,
  limitReset: null,
  includeByokInLimit: false,
  ...UNRESTRICTED,
  tags: null,
  creatorUserId: null,
  externalUser: null,
  expiresAt: null,
});

/** Workspace of a new key. */
export interface KeyHome extends DefaultWorkspace {
  readonly isWorkspaceBound: boolean;
}

/** The row of a new key. It contains only the hash of the key itself, its first secret. */
export function newKeyRow(key: string, home: KeyHome, description: KeyDescription, createdAt: Date): ApiKeyEntity {
  return {
    ...description,
    ...home,
    hash: hashKey(key),
    label: keyLabel(key),
    disabled: false,
    raisedUsd: null,
    raisedUntil: null,
    createdAt,
    updatedAt: null,
    deletedAt: null,
  };
}

const GENERATED = /^sk-fl-v1-[0-9a-f]{64}$/;
const LABEL_HEAD = 12;
const LABEL_TAIL = 3;

/** The part of a key that may be shown. Of a key chosen by a person only the end: its beginning may be half of it. */
export function keyLabel(key: string): string {
  return `${GENERATED.test(key) ? key.slice(0, LABEL_HEAD) : ''}...${key.slice(-LABEL_TAIL)}`;
}
