import { pointerStep } from '@mandate/schemas/core';
import { type Effort, takes } from '../effort.ts';

/** A string found in arguments: as a value, or as the name of a field. */
export interface FoundString {
  readonly text: string;
  /** The place of the value; for a name, that of its field. */
  readonly place: Place;
  readonly isName: boolean;
}

/** The last step to it, and the place around that; null is the whole. Most strings are found and never pointed to. */
type Place = { readonly around: Place; readonly step: string | number } | null;

/** What a named validator takes for a string, and for each of its characters: it reads them several times. */
const OF_STRING = 50;
const OF_CHARACTER = 8;

/**
 * Every string in a JSON value, names of fields too, for a tool may take a map from paths or addresses; none where there is
 * not effort enough to read them all.
 */
export function everyString(value: unknown, effort: Effort): readonly FoundString[] {
  const found: FoundString[] = [];
  collect(value, null, found);
  const steps = found.reduce((sum, { text }) => sum + OF_STRING + text.length * OF_CHARACTER, 0);
  return takes(effort, steps) ? found : [];
}

/** The JSON pointer (RFC 6901). */
export function pointerTo({ place }: FoundString): string {
  return stepsTo(place).map(pointerStep).join('');
}

/** Names of the fields around it, outermost first, for a name itself among them; positions in arrays are left out. */
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
