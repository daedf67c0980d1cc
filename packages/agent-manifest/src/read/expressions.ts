/** Checks the expressions of a workflow: the conditions of switches, and the templates in the inputs of steps. */
import { conditionFault } from '../conditions/condition-fault.ts';
import { templateFault } from '../conditions/fill-template.ts';
import { roomForExpressions } from '../conditions/room.ts';
import { type Found, found, type Path } from './fault.ts';
import { fieldOf, isMap, writtenSteps } from './written.ts';

export function expressionFaults(document: unknown): Found[] {
  const room = roomForExpressions();
  return writtenSteps(document).flatMap(([path, step]) => {
    const cases = step.type === 'switch' ? fieldOf(step, 'cases') : undefined;
    const conditions = isMap(cases) ? Object.keys(cases) : [];
    return [
      ...conditions.flatMap((condition) =>
        invalid([...path, 'cases', condition], conditionFault(condition, room)),
      ),
      ...textsIn(fieldOf(step, 'inputs'), [...path, 'inputs']).flatMap(([at, text]) =>
        invalid(at, templateFault(text, room)),
      ),
    ];
  });
}

function invalid(path: Path, fault: string | null): Found[] {
  return fault === null ? [] : [found('EXPRESSION_INVALID', path, fault)];
}

/** Returns the texts in a value, at any depth, each with its path. Keys are not included. */
function textsIn(value: unknown, path: Path): (readonly [Path, string])[] {
  if (typeof value === 'string') return [[path, value]];
  if (typeof value !== 'object' || value === null) return [];
  const entries: Iterable<[PropertyKey, unknown]> = Array.isArray(value)
    ? value.entries()
    : Object.entries(value);
  return Array.from(entries).flatMap(([key, inner]) => textsIn(inner, [...path, key]));
}
