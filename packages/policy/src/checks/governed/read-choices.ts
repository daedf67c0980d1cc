import type { MemoryRead, OriginViolation } from '@mandate/schemas';
import type { ReadRule } from '../../governance/governance.ts';
import { isOfModel } from '../../governance/origins.ts';
import { blocked, passed, type StaticCheck } from '../check.ts';

type Choice = { rule: ReadRule; field: string };

/** Blocks a read if the model chose something that it must not choose. The gravest choice is told first. */
export const readChoices: StaticCheck = ({ type, policy: { governance } }) => {
  const read = governance?.read ?? null;
  if (type !== 'memory_read' || read === null) return null;
  return ({ action }) => {
    const choices = choicesOfModel(action as MemoryRead);
    const forbidden = choices.find(({ rule }) => read.cannot.has(rule));
    if (forbidden === undefined) return passed('read-choices', { chosen: choices.map(({ field }) => field) });
    const { rule, field } = forbidden;
    const violations: OriginViolation[] = [forbidden];
    const finding = blocked(
      'read-choices',
      { rule, field },
      {
        code: 'ORIGIN_NOT_ALLOWED',
        reason: `The model chose "${field}", which it must not choose (${rule}).`,
        remedy: `Leave "${field}" out: the system fills it. If a program chose it, state its origin (origins.${field}).`,
      },
    );
    return { ...finding, violations };
  };
};

/** Blocks a read of another person's memories, also if a program chose it. */
export const readIsolation: StaticCheck = ({ type, policy: { governance } }) => {
  if (type !== 'memory_read' || governance?.read?.isolation !== true) return null;
  return ({ action }) => {
    if (action.principal === undefined)
      return blocked('read-isolation', null, {
        code: 'PRINCIPAL_MISMATCH',
        reason: 'The action is for no person, and each person reads only their own memories.',
        remedy: 'State the person for whom the agent acts (principal.id), under a new action id.',
      });
    if (!readsOthers(action as MemoryRead)) return passed('read-isolation', null);
    return blocked('read-isolation', null, {
      code: 'PRINCIPAL_MISMATCH',
      reason: 'The action asks for memories of another person, and each person reads only their own.',
      remedy: 'Ask for the memories of the principal of the action, or leave "filter" out.',
    });
  };
};

/** Returns the choices of the model, the gravest first. A choice without an origin counts as a choice of the model. */
function choicesOfModel(action: MemoryRead): readonly Choice[] {
  const choices: Choice[] = [];
  const chose = (field: keyof MemoryRead) => action[field] !== undefined && isOfModel(action, field, 'model');
  if (chose('filter') && readsOthers(action)) choices.push({ rule: 'bypass_user_filter', field: 'filter' });
  for (const field of ['stores', 'intent'] as const)
    if (chose(field)) choices.push({ rule: 'select_store', field });
  for (const field of ['limits', 'filter'] as const)
    if (chose(field)) choices.push({ rule: 'set_query_params', field });
  return choices;
}

/** True if the filter names another person, or nobody. */
function readsOthers({ filter, principal }: MemoryRead): boolean {
  return filter?.user_id !== undefined && filter.user_id !== principal?.id;
}
