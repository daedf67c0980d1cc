import { isDigested, pointerStep } from '@mandate/schemas/core';
import { consume, type StepBudget } from '../step-budget.ts';

/** A string in the arguments: a value, or the name of a field. */
export interface FoundString {
  readonly text: string;
  /** The place of a value in the arguments. For a field name, the place of the field. */
  readonly place: Place;
  readonly isName: boolean;
  /** True if the arguments contain only a digest of the value. Then the text is unknown. */
  readonly isDigested?: true;
}

/**
 * The place of a value in the arguments: the last step of its path, and the place around it. Null means the arguments
 * as a whole. A linked list is cheap to build, and most places are never turned into a pointer.
 */
type Place = { readonly around: Place; readonly step: string | number } | null;

/**
 * The cost of each string for a named validator, in steps. A further cost per character follows. A validator reads
 * each string several times.
 */
const OF_STRING = 50;
const OF_CHARACTER = 8;

/**
 * Returns every string in a JSON value. Field names are included, because a tool may take a map with paths or
 * addresses as keys. Returns an empty list if the step budget is too small for all strings.
 */
export function everyString(value: unknown, stepBudget: StepBudget): readonly FoundString[] {
  const found: FoundString[] = [];
  collect(value, null, found);
  const steps = found.reduce((sum, { text }) => sum + OF_STRING + text.length * OF_CHARACTER, 0);
  return consume(stepBudget, steps) ? found : [];
}

/** Returns the JSON pointer (RFC 6901) of the string. */
export function pointerTo({ place }: FoundString): string {
  return stepsTo(place).map(pointerStep).join('');
}

/**
 * Returns the names of the fields that contain the string, outermost first. If the string is a field name, it is
 * included. Array indexes are left out.
 */
export function fieldsAround({ place }: FoundString): readonly string[] {
  return stepsTo(place).filter((step) => typeof step === 'string');
}

function stepsTo(place: Place): readonly (string | number)[] {
  const steps: (string | number)[] = [];
  for (let at = place; at !== null; at = at.around) steps.push(at.step);
  return steps.reverse();
}

function collect(value: unknown, place: Place, found: FoundString[]): void {
  if (typeof value === 'string') found.push({ text: value, place, isName: false });
  else if (Array.isArray(value)) {
    for (const [step, item] of value.entries())
      if (holdsStrings(item)) collect(item, { around: place, step }, found);
  } else if (isDigested(value)) {
    found.push({ text: '', place, isName: false, isDigested: true });
  } else if (typeof value === 'object' && value !== null) {
    for (const name of Object.keys(value)) {
      const member = (value as Readonly<Record<string, unknown>>)[name];
      const inside = { around: place, step: name };
      found.push({ text: name, place: inside, isName: true });
      if (holdsStrings(member)) collect(member, inside, found);
    }
  }
}

function holdsStrings(value: unknown): boolean {
  return typeof value === 'string' || (typeof value === 'object' && value !== null);
}
