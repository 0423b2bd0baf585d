import { findCards } from './detectors/credit-card.js';
import { findEmails, findIpAddresses, findPhones, findSocialSecurityNumbers } from './detectors/identifiers.js';
import { findAddresses, findPeople } from './detectors/people.js';
import { findInjections } from '../core/text/prompt-injection.js';
import type { Matcher, Span } from '../core/text/scan.js';

/** docs/operate/guardrails.md#built-in-filters. */
export const BUILTIN_SLUGS = [
  'email',
  'phone',
  'ssn',
  'credit-card',
  'ip-address',
  'person-name',
  'address',
  'regex-prompt-injection',
] as const;
export type BuiltinSlug = (typeof BUILTIN_SLUGS)[number];

/** The only filter that can flag, and whose scope (the texts it reads) can be chosen. */
export const PROMPT_INJECTION = 'regex-prompt-injection' satisfies BuiltinSlug;

interface BuiltinFilter {
  /** Set by the system: replaces what was found, and appears in reports. */
  readonly label: string;
  readonly matcher: Matcher;
}

const of = (label: string, find: (text: string) => Span[]): BuiltinFilter => ({ label, matcher: { find } });

/** The filters that ship with the gateway. */
export const BUILTIN_FILTERS: Readonly<Record<BuiltinSlug, BuiltinFilter>> = {
  email: of('email', findEmails),
  phone: of('phone', findPhones),
  ssn: of('ssn', findSocialSecurityNumbers),
  'credit-card': of('credit-card', findCards),
  'ip-address': of('ip-address', findIpAddresses),
  'person-name': of('person-name', findPeople),
  address: of('address', findAddresses),
  'regex-prompt-injection': of('prompt-injection', findInjections),
};
