import { isDomainRule } from '../core/domains.js';
import type { EgressRules } from '../core/egress.js';
import { STORABLE } from '../shared/http/field-patterns.js';
import {
  closed,
  compile,
  described,
  list,
  nullable,
  object,
  optional,
  rows,
  text,
  type Compiled,
  type Fault,
  type Static,
} from '../shared/http/schema.js';

/** Entries of one list, and characters of one entry: each is compared with every address. Chosen. */
const DOMAINS_MAX = 200;
const DOMAIN_CHARACTERS_MAX = 255;

const domains = nullable(list(text({ max: DOMAIN_CHARACTERS_MAX, ...STORABLE }), { max: DOMAINS_MAX }));
const body = closed({
  allowed_domains: optional(described('Null allows every domain, an empty list none.', domains)),
  blocked_domains: optional(described('They take precedence over allowed domains.', domains)),
});
type EgressBody = Static<typeof body>;
const shape = compile(
  described('Domains that tools, media and tool servers may address, such as example.com or example.com/blog.', body),
);

/** The egress rules for tools, media and tool servers, in bodies of management. */
export const egressBody: Compiled<EgressBody> = {
  schema: shape.schema,
  check: (value): value is EgressBody => faultOf(value) === undefined,
  fault: faultOf,
};

function faultOf(value: unknown): Fault | undefined {
  if (!shape.check(value)) return shape.fault(value);
  for (const name of ['allowed_domains', 'blocked_domains'] as const) {
    const index = value[name]?.findIndex((domain) => !isDomainRule(domain)) ?? -1;
    if (index >= 0) {
      return {
        path: `${name}.${index}`,
        reason: 'must be a domain such as example.com, *.example.com or example.com/blog',
      };
    }
  }
  return undefined;
}

/** The rules of a valid body; undefined where they are absent, null where they are cleared. */
export function readEgress(body: EgressBody | null | undefined): EgressRules | null | undefined {
  if (!body) return body;
  const { allowed_domains = null, blocked_domains = null } = body;
  return (allowed_domains ?? blocked_domains) === null ? null : { allowed_domains, blocked_domains };
}

/** Egress rules in replies. */
export const egressView = nullable(
  object({ allowed_domains: nullable(rows(text())), blocked_domains: nullable(rows(text())) }),
);
