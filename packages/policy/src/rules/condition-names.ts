/** Checks conditions about names. A condition that no name can satisfy would make its rule apply never, or always. */

import type { Condition, FieldCondition } from '@mandate/schemas';
import { nameFault, stepsOf } from '@mandate/schemas/core';
import { foldedName } from '../models/known-providers.ts';
import { normalModel, normalProvider } from '../models/normal-form.ts';

type Fault = { path: readonly (string | number)[]; message: string };

/** Fields that contain a name or a list of names, without `*`. */
const PLAIN_NAMES: ReadonlySet<string> = new Set([
  ...['agent.id', 'agent.groups', 'agent.parent'],
  ...['action.agentId', 'action.tool', 'action.model', 'action.provider'],
]);
/** Fields that contain an id of another kind. */
const IDS: ReadonlySet<string> = new Set([
  ...['action.id', 'action.tenant', 'action.idempotencyKey', 'action.mandateId', 'action.parentActionId'],
  ...['action.principal.id', 'action.principal.role'],
]);

/** Returns the faults of names in all operators except `matches`, because a pattern may describe several names. */
export function conditionNameFaults(condition: Condition, path: Fault['path']): readonly Fault[] {
  for (const part of ['all', 'any', 'not'] as const) {
    if (!(part in condition)) continue;
    const parts = (condition as Record<typeof part, readonly Condition[]>)[part];
    return parts.flatMap((one, at) => conditionNameFaults(one, [...path, part, at]));
  }
  return fieldFaults(condition as FieldCondition, path);
}

function fieldFaults(condition: FieldCondition, path: Fault['path']): readonly Fault[] {
  const field = stepsOf(condition.field).join('.');
  const isPlain = PLAIN_NAMES.has(field);
  if ((!isPlain && !IDS.has(field)) || condition.op === 'matches') return [];
  const { value } = condition;
  const isPart = condition.op === 'starts_with' || condition.op === 'contains';
  const [texts, places] = Array.isArray(value)
    ? [value, value.map((_, at) => ['value', at] as const)]
    : [[value], [['value'] as const]];
  return texts.flatMap((text: unknown, at): Fault[] => {
    const message =
      typeof text === 'string' ? (faultOf(text, isPlain) ?? normalFault(field, text, isPart)) : null;
    return message === null ? [] : [{ path: [...path, ...(places[at] ?? [])], message }];
  });
}

/**
 * Returns the fault of a model or provider that is not in normal form. `isPart`: the text is only a part of a name,
 * so only its spelling can be checked.
 */
function normalFault(field: string, text: string, isPart: boolean): string | null {
  let normal = text;
  if (field === 'action.model') normal = normalModel(text);
  if (field === 'action.provider') normal = isPart ? foldedName(text) : normalProvider(text);
  return text === normal ? null : `must be in its normal form: write ${JSON.stringify(normal)}`;
}

function faultOf(text: string, isPlain: boolean): string | null {
  const fault = nameFault(text);
  if (fault !== null) return `${fault}, so it can equal no name`;
  if (!isPlain || !text.includes('*')) return null;
  return 'must not contain *: no name contains it, and it has no meaning here. Use starts_with, contains or matches';
}
