/**
 * The differences between the kinds of action, as data. A new kind needs its shape (action.ts), its entry here, and
 * the checks for it (packages/policy/src/checks). The log, the ledger, redaction, the audit and exports need no
 * change.
 */
import type { Action, ActionType, LlmCall, ToolCall } from './action.ts';
import type { Json } from './scalars.ts';

export type ActionKind = {
  /**
   * Which lists, prices and limits of a policy apply to the action: `tool`: those for tools. `model`: those for
   * models. `own`: none of them, only the checks of the kind and the checks of every action.
   */
  judgedAs: 'tool' | 'model' | 'own';
  /** The name of the field with the used tool, model or store. Null: the action uses none. */
  subject: string | null;
  /** The fields, besides `context`, that the agent fills in freely. Redaction and the privacy document apply to them. */
  freeFields: readonly string[];
};

export const ACTION_KINDS: Readonly<Record<ActionType, ActionKind>> = {
  tool_call: { judgedAs: 'tool', subject: 'tool', freeFields: ['args'] },
  llm_call: { judgedAs: 'model', subject: 'model', freeFields: [] },
  prompt: { judgedAs: 'own', subject: null, freeFields: ['text'] },
  memory_read: { judgedAs: 'own', subject: null, freeFields: ['query'] },
  memory_write: { judgedAs: 'own', subject: 'event', freeFields: ['text', 'hints'] },
  output: { judgedAs: 'own', subject: null, freeFields: ['text'] },
  memory_operation: { judgedAs: 'own', subject: 'store', freeFields: ['content', 'description'] },
};

export const ACTION_TYPES = Object.keys(ACTION_KINDS) as ActionType[];

export function isToolCall(action: Action): action is ToolCall {
  return judgedAs(action) === 'tool';
}

export function isModelCall(action: Action): action is LlmCall {
  return judgedAs(action) === 'model';
}

/**
 * Returns undefined for an action without a kind. This happens when conditions are checked against the context of a
 * grant.
 */
function judgedAs({ type }: Action): ActionKind['judgedAs'] | undefined {
  return kindOf(type)?.judgedAs;
}

/**
 * Returns the kind. It is needed several times for every action, and a comparison with the common types is faster
 * than a look-up by a variable.
 */
function kindOf(type: ActionType): ActionKind {
  if (type === 'tool_call') return ACTION_KINDS.tool_call;
  if (type === 'llm_call') return ACTION_KINDS.llm_call;
  return ACTION_KINDS[type];
}

/** Returns the tool or the model of the action, as the agent names it. */
export function subjectOf(action: Action): string {
  const { type } = action;
  // Reading a field by its fixed name is faster than by a variable name.
  if (type === 'tool_call') return action.tool;
  if (type === 'llm_call') return action.model;
  const { subject } = kindOf(type);
  return subject === null ? '' : String(fieldsOf(action)[subject] ?? '');
}

/** Returns the fields of the action that the agent fills in freely: `args`, `context`. */
export function freeFieldsOf(action: Action): readonly (readonly [name: string, value: Json])[] {
  const fields = fieldsOf(action);
  return namesOfFreeFields(action).flatMap((name) => {
    const value = fields[name];
    return value === undefined ? [] : [[name, value] as const];
  });
}

/** Returns the same fields without `context`. */
export function ownFreeFieldsOf(action: Action): readonly (readonly [name: string, value: Json])[] {
  return freeFieldsOf(action).filter(([name]) => name !== 'context');
}

/**
 * Returns the action with each free field replaced by the result of `change`. A field is left out if the result is
 * undefined. Returns the action itself if nothing changes.
 */
export function changeFreeFields(
  action: Action,
  change: (value: Json, name: string) => Json | undefined,
): Action {
  const fields = fieldsOf(action);
  let changed: Record<string, Json | undefined> | null = null;
  for (const name of namesOfFreeFields(action)) {
    const value = fields[name];
    if (value === undefined) continue;
    const made = change(value, name);
    if (made === value) continue;
    changed ??= { ...fields };
    if (made === undefined) delete changed[name];
    else changed[name] = made;
  }
  return changed === null ? action : (changed as unknown as Action);
}

/**
 * Returns the action with the ids of persons replaced: of the principal, and of the person that a read is for. Equal
 * ids must stay equal, because a read is compared with its principal. Returns the action itself if nothing changes.
 */
export function changePersons(action: Action, change: (id: string) => string): Action {
  let changed = action;
  if (action.principal !== undefined) {
    const id = change(action.principal.id);
    if (id !== action.principal.id) changed = { ...action, principal: { ...action.principal, id } };
  }
  if (changed.type !== 'memory_read' || typeof changed.filter?.user_id !== 'string') return changed;
  const user_id = change(changed.filter.user_id);
  return user_id === changed.filter.user_id ? changed : { ...changed, filter: { user_id } };
}

function namesOfFreeFields({ type }: Pick<Action, 'type'>): readonly string[] {
  return FREE_FIELDS.get(type) ?? [];
}

const FREE_FIELDS = new Map<string, readonly string[]>(
  ACTION_TYPES.map((type) => [type, [...ACTION_KINDS[type].freeFields, 'context']]),
);

function fieldsOf(action: Action): Readonly<Record<string, Json | undefined>> {
  return action as unknown as Readonly<Record<string, Json | undefined>>;
}
