import { scan, type Span } from './scan.js';

/** One kind of phrase that tries to take over a model. */
interface InjectionRule {
  readonly rule: string;
  readonly expressions: readonly RegExp[];
}

const RULES: readonly InjectionRule[] = [
  {
    rule: 'instruction-override',
    expressions: [
      /\b(?:ignore|disregard|forget|override|bypass|neglect)\s{1,4}(?:(?:all|any|every|everything|each|of|the|your|my|our|these|those|from|in|to|that)\s{1,4}){0,5}(?:(?:previous|prior|preceding|above|earlier|former|foregoing|initial|original|existing|current|system|safety)(?:ly\s{1,4}given)?\s{1,4}){1,3}(?:instructions?|prompts?|rules|directions|directives?|guidelines|commands?|messages?|context|constraints|restrictions|programming|training)\b/gi,
      /\b(?:ignore|disregard|forget|override|bypass)\s{1,4}(?:all\s{1,4}|any\s{1,4}|of\s{1,4}|the\s{1,4}|your\s{1,4}){1,4}(?:instructions|rules|guidelines|directives|restrictions|programming|training|safeguards)\b/gi,
      /\b(?:ignore|disregard|forget)\s{1,4}(?:everything|anything|all(?:\s{1,4}that)?)\s{1,4}(?:[a-z']{1,15}\s{1,4}){0,4}(?:above|before|previously|earlier|so\s{1,4}far)\b/gi,
    ],
  },
  {
    rule: 'system-prompt-extraction',
    expressions: [
      /\b(?:reveal|show|print|repeat|output|display|disclose|tell|give|leak|share|dump|expose|recite|quote)\s{1,4}(?:(?:me|us|out|back|verbatim|the|your|all|of|exact|full|entire|complete)\s{1,4}){0,6}(?:system\s{1,4}(?:prompt|message|instructions)|(?:hidden|secret|original|initial|internal)\s{1,4}(?:system\s{1,4})?(?:prompt|instructions)|(?:prompt|instructions|text|words)\s{1,4}above)\b/gi,
      /\bwhat\s{1,4}(?:is|are|was|were)\s{1,4}your\s{1,4}(?:exact\s{1,4}|full\s{1,4}){0,2}(?:system|hidden|secret|original|initial)\s{1,4}(?:prompt|message|instructions)\b/gi,
    ],
  },
  {
    rule: 'role-takeover',
    expressions: [
      /\byou\s{1,4}are\s{1,4}(?:now|no\s{1,4}longer)\s{1,4}(?:(?:a|an|the|in|called|named)\s{1,4}){0,2}(?:DAN|jailbroken|unrestricted|unfiltered|uncensored|unbound|bound\s{1,4}by|restricted\s{1,4}by|developer\s{1,4}mode|god\s{1,4}mode)\b/gi,
      /\bdo\s{1,4}anything\s{1,4}now\b/gi,
      /\b(?:enable|enter|activate|switch\s{1,4}to)\s{1,4}(?:the\s{1,4})?(?:developer|god|DAN|jailbreak|sudo|unrestricted)\s{1,4}mode\b/gi,
      /\b(?:pretend|act|behave|respond|answer)\s{1,4}(?:as\s{1,4}(?:if|though)\s{1,4}|that\s{1,4}|like\s{1,4})?you\s{1,4}(?:have|had|are|were)\s{1,4}(?:no|not\s{1,4}bound\s{1,4}by|without|free\s{1,4}(?:of|from))\s{1,4}(?:[a-z]{1,15}\s{1,4}){0,3}(?:restrictions|rules|filters|limits|limitations|guidelines|constraints|safeguards)\b/gi,
    ],
  },
  {
    rule: 'delimiter-injection',
    expressions: [
      /<\|(?:im_start|im_end|system|endoftext|start_header_id|end_header_id|eot_id)\|>/gi,
      /\[\/?INST\]|<<\/?SYS>>|<\/?system(?:[_-](?:prompt|message|instructions?))?>/gi,
      /(?<=^|\n)[ \t]{0,4}#{1,6}[ \t]{0,4}(?:system|new)[ \t]{1,4}(?:prompt|instructions?)\b/gi,
      /\b(?:begin|new|updated)\s{1,4}system\s{1,4}(?:prompt|message|instructions?)\s{0,4}:/gi,
    ],
  },
];

/** Phrases that try to take over a model, by rules: they find known forms and prove nothing about others. */
export const findInjections = (text: string): Span[] =>
  RULES.flatMap(({ rule, expressions }) =>
    expressions.flatMap((expression) => scan(expression, text).map((span) => ({ ...span, rule }))),
  );
