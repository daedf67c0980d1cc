/** A field of a decision or a settlement that is not as the case expects. */
export type Difference = { what: string; expected: string; seen: string };
