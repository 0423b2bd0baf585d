import { optional } from '../shared/http/schema.js';
import { domainList, wholeNumber } from '../shared/http/maxima.js';

/** Fields that several service tools have among their parameters. */

export const domains = optional(domainList());
export const count = optional(wholeNumber());
