export const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
/** The amount of a model's reasoning. */
export type Effort = (typeof EFFORTS)[number];
