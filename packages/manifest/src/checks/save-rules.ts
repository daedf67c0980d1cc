/** Checks the save rules: their tests, actions and priorities, and whether they can ever save. */
import {
  type MemoryPoliciesDocument,
  type PermissionsDocument,
  SAVE_PRIORITIES,
} from '@mandate/schemas/manifest';
import { type Found, found, type Path } from '../fault.ts';

type SaveRule = NonNullable<NonNullable<MemoryPoliciesDocument['write']>['save_rules']>[string];

const SAVE_TO = 'save_to_';
/** The store of `summarize_and_save` if the rule names no `store`. */
const SUMMARIES = 'episodic';

/** Returns the store into which a rule saves. Null if it saves nothing, or if its action is unknown. */
export function storeOf({ action, store }: Pick<SaveRule, 'action' | 'store'>): string | null {
  if (action === 'save') return store ?? null;
  if (action === 'summarize_and_save') return store ?? SUMMARIES;
  return action.startsWith(SAVE_TO) && action.length > SAVE_TO.length ? action.slice(SAVE_TO.length) : null;
}

export function saveRuleFaults({ memory_policies }: PermissionsDocument): Found[] {
  return Object.entries(memory_policies?.write?.save_rules ?? {}).flatMap(([name, rule]) => {
    const path = ['memory_policies', 'write', 'save_rules', name];
    return [...testFaults(rule, path), ...actionFaults(rule, path), ...priorityFaults(name, rule, path)];
  });
}

function testFaults({ patterns, condition }: SaveRule, path: Path): Found[] {
  if (patterns !== undefined || condition !== undefined) return [];
  return [
    found(
      'SAVE_RULE_WITHOUT_TEST',
      path,
      'has neither patterns nor a condition: add one, or remove the rule',
    ),
  ];
}

function actionFaults(rule: SaveRule, path: Path): Found[] {
  const { action, store } = rule;
  if (action !== 'skip' && storeOf(rule) === null) {
    const message =
      action === 'save'
        ? 'is "save" without a store: add store, or write save_to_<store>'
        : `"${action.slice(0, 100)}" is not known: write skip, save_to_<store>, save with store, or summarize_and_save`;
    return [found('ACTION_UNKNOWN', [...path, 'action'], message)];
  }
  if (store === undefined || action === 'save' || action === 'summarize_and_save') return [];
  const message = `must not be given with the action "${action}": remove it, or write the action "save"`;
  return [found('VALUE_INVALID', [...path, 'store'], message)];
}

function priorityFaults(name: string, { priority }: SaveRule, path: Path): Found[] {
  if (priority !== undefined || SAVE_PRIORITIES.has(name)) return [];
  const known = [...SAVE_PRIORITIES].map(([rule, value]) => `${rule} ${value}`).join(', ');
  return [
    found(
      'FIELD_MISSING',
      [...path, 'priority'],
      `is missing: only ${known} have a default priority. Add a whole number; the highest is asked first`,
    ),
  ];
}

/** Warns of rules that can never save, because no trigger allows it. A rule with an unknown store has an error already. */
export function savesNever({ memory_policies }: PermissionsDocument, stores: ReadonlySet<string>): Found[] {
  const { triggers = {}, save_rules = {} } = memory_policies?.write ?? {};
  return Object.entries(save_rules).flatMap(([name, rule]) => {
    const store = storeOf(rule);
    if (store === null || !stores.has(store)) return [];
    const trigger = Object.hasOwn(triggers, store) ? triggers[store] : undefined;
    const lets =
      trigger?.condition === 'system_evaluation' ||
      (trigger?.condition === 'pattern_match_permanent' && name === 'permanent');
    if (lets && trigger?.event === 'interaction_complete') return [];
    return [
      found(
        'RULE_NEVER_SAVES',
        ['memory_policies', 'write', 'save_rules', name, 'action'],
        `saves nothing, because no trigger of "${store}" lets this rule save: give "${store}" the event interaction_complete and the condition system_evaluation`,
      ),
    ];
  });
}
