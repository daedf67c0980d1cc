import type { Origin } from '@mandate/schemas';
import { endlessRoom } from '../../arguments/pattern-size.ts';
import { lowerLimit } from '../../lower-limit.ts';
import { consume, type StepBudget } from '../../step-budget.ts';
import { charactersIn } from '../text/characters-in.ts';
import { fold } from '../text/fold.ts';
import { type Hints, permittedHints, type Violation } from './hints.ts';
import { compileSaveRules, type SaveRule } from './save-rules.ts';
import type { CannotDecide, Lengths, SavesDocument, WriteEvent } from './save-rules-document.ts';

/** A save that is allowed. The obligation `saves` lists saves with these fields. */
export interface Save {
  readonly store: string;
  readonly scope: string;
  readonly action: string;
  readonly rule: string;
  readonly ttlMs: number | null;
  /** Absent if principals are not isolated. */
  readonly owner?: 'principal.id';
  readonly category?: string;
}

export interface Saves {
  readonly saves: readonly Save[];
  /** The name of a rule, or `hint`, `always`, `none`. */
  readonly decidedBy: string;
  readonly violations: readonly Violation[];
}

export interface WriteQuestion {
  readonly event: WriteEvent;
  readonly text: { readonly user: string; readonly agent?: string };
  readonly hints?: Hints;
  readonly origins?: Readonly<Record<string, Origin>>;
}

/** Returns null if the step budget is used up. */
export type DecideSaves = (question: WriteQuestion, stepBudget: StepBudget) => Saves | null;

const ALL: readonly CannotDecide[] = [
  'decide_is_memorable',
  'decide_scope',
  'decide_category',
  'block_save',
  'force_save',
];

/**
 * Compiles the rules that decide whether a text is saved, in which store, and for how long. The patterns of rules
 * run only on the user's text, so the words of an agent never cause a save.
 *
 * @param room the total size that the patterns may have; their sizes are subtracted
 * @throws PatternRefused
 */
export function compileSaves(document: SavesDocument, room: StepBudget = endlessRoom()): DecideSaves {
  const { triggers = {}, save_rules = {}, llm_cannot = ALL, user_isolation } = document;
  const rules = compileSaveRules(save_rules, room);
  const cannot = new Set(llm_cannot);
  return ({ event, text, hints: given = {}, origins = {} }, stepBudget) => {
    const { hints, violations } = permittedHints(given, origins, cannot);
    const deciding = event === 'interaction_complete' ? firstThatHolds(rules, text, stepBudget) : null;
    if (stepBudget.left < 0) return null;
    if (hints.save === false) return { saves: [], decidedBy: 'hint', violations };

    const always = Object.entries(triggers).flatMap(([store, trigger]) =>
      trigger.event === event && trigger.condition === 'always' ? [store] : [],
    );
    const maySave = (rule: SaveRule, store: string) => {
      const trigger = Object.hasOwn(triggers, store) ? triggers[store] : undefined;
      if (trigger?.event !== event || trigger.condition === 'never' || trigger.condition === 'always')
        return false;
      return trigger.condition !== 'pattern_match_permanent' || rule.name === 'permanent';
    };
    const saving = (rule: SaveRule | null | undefined) =>
      rule?.store && maySave(rule, rule.store) ? { rule, store: rule.store } : null;
    const named = (name: string | undefined) => saving(rules.find((rule) => rule.name === name));

    const byRule = saving(deciding);
    const forced = byRule === null && hints.save === true ? named('episodic') : null;
    const chosen = byRule ?? forced;
    const scoped = chosen === null ? null : (named(hints.scope) ?? chosen);
    const elsewhere = scoped !== null && hints.store !== undefined && maySave(scoped.rule, hints.store);
    const placed = scoped !== null && elsewhere ? { ...scoped, store: hints.store ?? scoped.store } : scoped;

    const common = { ...(user_isolation ? { owner: OWNER } : {}), ...categoryOf(hints) };
    const save = (store: string, scope: string, action: string, rule: string, ttl: number | null): Save => {
      const ttlMs = lowerLimit(ttl, hints.ttlMs ?? null);
      return { store, scope, action, rule, ttlMs, ...common };
    };
    const saves = always.map((store) => save(store, 'always', 'save', 'always', null));
    if (placed !== null) {
      const { name, action, ttlMs } = placed.rule;
      saves.push(save(placed.store, name, action, name, ttlMs));
    }
    const byName = deciding?.name ?? (always.length > 0 ? 'always' : 'none');
    return { saves, decidedBy: forced === null ? byName : 'hint', violations };
  };
}

const OWNER = 'principal.id' as const;

function firstThatHolds(
  rules: readonly SaveRule[],
  { user, agent = '' }: WriteQuestion['text'],
  stepBudget: StepBudget,
): SaveRule | null {
  const folded = fold(user, stepBudget);
  if (!consume(stepBudget, agent.length)) return null;
  const lengths: Lengths = { messageLength: charactersIn(user), responseLength: charactersIn(agent) };
  return rules.find((rule) => stepBudget.left >= 0 && rule.holds(folded, lengths, stepBudget)) ?? null;
}

function categoryOf({ category }: Hints): { category?: string } {
  return category === undefined ? {} : { category };
}
