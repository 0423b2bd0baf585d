/** The groups of remarks of an import with their headings, in the order of the output. */
export const REMARK_GROUPS = {
  'left-out': 'Left out',
  variables: 'To be set where the gateway runs',
  credentials: 'To be entered again',
  names: 'Names',
  assumed: 'Assumed: check these',
  'not-carried': 'Not carried over',
} as const;
export type RemarkGroup = keyof typeof REMARK_GROUPS;

/** A remark for the user of an import. Contains no value of the file that could be a secret. */
export interface Remark {
  readonly group: RemarkGroup;
  /** What the remark is about: a path such as `model_list.3.litellm_params.rpm`, a variable, or a model. */
  readonly location: string;
  readonly message: string;
}

export type Note = (group: RemarkGroup, location: string, message: string) => void;
