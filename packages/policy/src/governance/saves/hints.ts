import type { CannotDecide } from './save-rules-document.ts';

/** What somebody asks for beside a text to save. */
export interface Hints {
  readonly save?: boolean;
  readonly memorable?: boolean;
  readonly scope?: string;
  readonly category?: string;
  readonly ttlMs?: number;
  readonly store?: string;
}

export type Origin = 'model' | 'user' | 'system';

export interface Violation {
  readonly rule: CannotDecide;
  /** The field of the action, such as `hints.save`. */
  readonly field: string;
}

/** For each hint: its field on the wire, and what a model decides by it. */
const FIELDS: readonly { hint: keyof Hints; field: string; decides: (hints: Hints) => CannotDecide }[] = [
  { hint: 'save', field: 'hints.save', decides: ({ save }) => (save === true ? 'force_save' : 'block_save') },
  { hint: 'memorable', field: 'hints.memorable', decides: () => 'decide_is_memorable' },
  { hint: 'scope', field: 'hints.scope', decides: () => 'decide_scope' },
  { hint: 'category', field: 'hints.category', decides: () => 'decide_category' },
  { hint: 'ttlMs', field: 'hints.ttl', decides: () => 'decide_scope' },
  { hint: 'store', field: 'hints.store', decides: () => 'decide_scope' },
];

/**
 * Leaves out the hints that a model has no right to give, and tells them. Nothing is blocked: a model could otherwise
 * prevent a save by giving a hint. A hint without an origin is the model's.
 *
 * @param origins by the field, such as `hints.save`
 */
export function rightfulHints(
  hints: Hints,
  origins: Readonly<Record<string, Origin>>,
  cannot: ReadonlySet<CannotDecide>,
): { hints: Hints; violations: readonly Violation[] } {
  const rightful: Record<string, unknown> = {};
  const violations: Violation[] = [];
  for (const { hint, field, decides } of FIELDS) {
    if (hints[hint] === undefined) continue;
    const rule = decides(hints);
    const origin = Object.hasOwn(origins, field) ? origins[field] : 'model';
    if (origin !== 'user' && origin !== 'system' && cannot.has(rule)) violations.push({ rule, field });
    else rightful[hint] = hints[hint];
  }
  return { hints: rightful, violations };
}
