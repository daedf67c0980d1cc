import type { Origin } from '@mandate/schemas';
import { isOfModel } from '../origins.ts';
import type { CannotDecide } from './save-rules-document.ts';

/** Optional wishes about how a text is saved. */
export interface Hints {
  readonly save?: boolean;
  readonly memorable?: boolean;
  readonly scope?: string;
  readonly category?: string;
  readonly ttlMs?: number;
  readonly store?: string;
}

export interface Violation {
  readonly rule: CannotDecide;
  /** The field of the action, such as `hints.save`. */
  readonly field: string;
}

/** For each hint: its field on the wire, and the decision that the hint makes. */
const FIELDS: readonly { hint: keyof Hints; field: string; decides: (hints: Hints) => CannotDecide }[] = [
  { hint: 'save', field: 'hints.save', decides: ({ save }) => (save === true ? 'force_save' : 'block_save') },
  { hint: 'memorable', field: 'hints.memorable', decides: () => 'decide_is_memorable' },
  { hint: 'scope', field: 'hints.scope', decides: () => 'decide_scope' },
  { hint: 'category', field: 'hints.category', decides: () => 'decide_category' },
  { hint: 'ttlMs', field: 'hints.ttl', decides: () => 'decide_scope' },
  { hint: 'store', field: 'hints.store', decides: () => 'decide_scope' },
];

/**
 * Removes the hints that a model must not give, and returns them as violations. A violation blocks nothing, because
 * otherwise a model could prevent a save by giving a hint. A hint without an origin counts as a hint of the model.
 *
 * @param origins by the field, such as `hints.save`
 */
export function permittedHints(
  hints: Hints,
  origins: Readonly<Record<string, Origin>>,
  cannot: ReadonlySet<CannotDecide>,
): { hints: Hints; violations: readonly Violation[] } {
  const permitted: Record<string, unknown> = {};
  const violations: Violation[] = [];
  for (const { hint, field, decides } of FIELDS) {
    if (hints[hint] === undefined) continue;
    const rule = decides(hints);
    if (isOfModel({ origins }, field, 'model') && cannot.has(rule)) violations.push({ rule, field });
    else permitted[hint] = hints[hint];
  }
  return { hints: permitted, violations };
}
