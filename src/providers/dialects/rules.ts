import type { ModelRequest } from '../../core/conversation/request.js';
import { Untranslatable } from '../../core/errors.js';
import type { Target } from '../../core/provider.js';
import type {
  Condition,
  Treatment,
  FieldLocation,
  FieldRow,
  FieldRule,
  ReplyRule,
  Rule,
  UsageRow,
} from '../../core/translation.js';
import { takesForcedChoice } from '../model-rules/claude-models.js';
import { lists, takes } from './listed-parameters.js';

/* The building blocks of translation tables. */

export const mapped = (how: string): Treatment & { type: 'mapped' } => ({ type: 'mapped', how });
export const dropped = (why = ''): Treatment & { type: 'dropped' } => ({ type: 'dropped', why });
/**
 * @param what what cannot be sent, for the error
 * @param within the path in the block, such as `.source`
 */
export const refused = (what: string, within = ''): Treatment & { type: 'refused' } => ({
  type: 'refused',
  what,
  within,
});

export const ABSENT: ReplyRule = { type: 'absent' };

/** One rule where a condition holds for the target, else another; dropped by default. */
export function where<Then extends Treatment, Otherwise extends Treatment = Treatment & { type: 'dropped' }>(
  on: Condition<Target>,
  then: Rule<Target, Then>,
  otherwise?: Rule<Target, Otherwise>,
): Rule<Target, Then | Otherwise | (Treatment & { type: 'dropped' })> {
  return { type: 'depends', on, then, otherwise: otherwise ?? dropped() };
}

/**
 * The endpoint's `supported_parameters` contain the field, or the endpoint has no list.
 * @param names the endpoint may list any of them
 */
export const taken = (...names: readonly string[]): Condition<Target> => ({
  words: '◇',
  holds: (target) => takes(target, ...names),
});

/** The endpoint's list names it. */
export const listed = (name: string): Condition<Target> => ({
  words: 'only if listed',
  holds: (target) => lists(target, name),
});

/** The endpoint supports reasoning, by either name of the parameter. */
export const TAKES_REASONING = taken('reasoning', 'reasoning_effort');

/** A choice among some of the tools is sent as such; any other target gets only those tools. */
export const NAMES_ALLOWED_TOOLS: Condition<Target> = {
  words: '◆ `names_allowed_tools`',
  holds: ({ definition }) => definition.quirks.namesAllowedTools === true,
};
export const ONLY_ALLOWED = mapped('no other tools are sent');

/** The model can be forced to call a tool. */
export const TAKES_FORCED_CHOICE: Condition<Target> = {
  words: 'except for Claude models that cannot be forced',
  holds: takesForcedChoice,
};

/** Documents may be sent as files. */
export const ACCEPTS_FILES: Condition<Target> = {
  words: '◆ `accepts_files`, or a model that reads files',
  holds: ({ definition, model }) => definition.quirks.acceptsFiles === true || model.inputModalities.includes('file'),
};

/** The model generates images. */
export const GENERATES_IMAGES: Condition<Target> = {
  words: 'a model that makes images',
  holds: ({ model }) => model.outputModalities.includes('image'),
};

/** A price for a tier in the catalog implies that the provider supports the tier. */
export const SELLS_TIERS: Condition<Target> = {
  words: '◆ `service_tiers`, or a tier with a price',
  holds: ({ definition, tier }) => definition.quirks.serviceTiers === true || tier !== 'standard',
};

/** The catalog has a price for the region. */
export const HAS_REGION_PRICE: Condition<Target> = {
  words: 'if priced',
  holds: ({ endpoint }) => endpoint.geography !== undefined,
};

/** Both conditions hold. */
export const both = (first: Condition<Target>, second: Condition<Target>): Condition<Target> => ({
  words: `${first.words}, ${second.words}`,
  holds: (target) => first.holds(target) && second.holds(target),
});

/** A field with a rule, which is encoded together with other parts of the request. */
export const field = (rule: FieldRule<Target>): FieldRow<Target> => ({ rule });

/** A field that the format lacks. */
export const NOT_SUPPORTED = field(dropped());

/** Options of a field that is one value. */
interface FieldOptions extends Partial<Pick<FieldLocation, 'within' | 'assertFits'>> {
  /** Change of the value, for the tables of the documentation. */
  readonly note?: string;
}

/**
 * A field that is one value.
 * @param on where it is sent; absent: everywhere
 */
export function sent(
  name: string,
  read: FieldLocation['read'],
  on?: Condition<Target>,
  { within = '', note = '', ...rest }: FieldOptions = {},
): FieldRow<Target> {
  const how = mapped(`\`${within === '' ? name : `${within}.${name}`}\`${note === '' ? '' : `, ${note}`}`);
  return { rule: on === undefined ? how : where(on, how), location: { within, name, read, ...rest } };
}

/** A class of usage with a rule, which is read together with other parts of the reply. */
export const usage = (rule: ReplyRule): UsageRow => ({ rule });

/** A class of usage that the format does not report. */
export const NOT_REPORTED = usage(ABSENT);

/**
 * A figure at a separate location.
 * @param paths the first one with a figure counts
 * @param note what is done with it
 */
export const reported = (paths: readonly string[], note = ''): UsageRow => ({
  rule: mapped(paths.map((path) => `\`${path}\``).join(', else ') + (note === '' ? '' : `, ${note}`)),
  paths,
});

/** The stop sequences of a request; an empty list means none. */
export const readStopSequences = ({ stopSequences }: ModelRequest): readonly string[] | undefined =>
  stopSequences?.length ? stopSequences : undefined;

/**
 * @param max most stop sequences that the format permits
 * @param format its name, for the error
 */
export const atMostStopSequences = (max: number, format: string): FieldOptions => ({
  note: `more than ${max}: 400`,
  assertFits: ({ stopSequences = [] }) => {
    if (stopSequences.length <= max) return;
    throw new Untranslatable(
      'stop_sequences',
      `has ${stopSequences.length} entries, ${format} of this model's provider takes at most ${max}`,
    );
  },
});

/** A file stored at a vendor. */
export const STORED_FILE = refused('a file stored at a vendor', '.source.file_id');
