import { DECISION_KINDS, standsForAction } from '@mandate/schemas';

const KINDS = DECISION_KINDS.filter(standsForAction).map((kind) => `'${kind}'`);

/** SQL that is true if a row of `decisions` is the decision of its action and attempt, and false for a duplicate. */
export const STANDS_FOR_ACTION = `kind IN (${KINDS.join(', ')})`;
