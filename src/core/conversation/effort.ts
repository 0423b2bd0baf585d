export const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
/** How much a model reasons. */
export type Effort = (typeof EFFORTS)[number];
