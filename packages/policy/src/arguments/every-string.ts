import { pointerStep } from '@mandate/schemas';

/** A string found in arguments: as a value, or as the name of a field. */
export interface FoundString {
  readonly text: string;
  /** Of the value; for a name, of the field that has it. */
  readonly pointer: string;
  /** Names of the fields around it, outermost first; positions in arrays are left out. */
  readonly fields: readonly string[];
  readonly isName: boolean;
}

/** Every string in a JSON value, names of fields too, for a tool may take a map from paths or addresses. */
export function everyString(value: unknown): readonly FoundString[] {
  const found: FoundString[] = [];
  collect(value, '', [], found);
  return found;
}

/** A pointer is made for what has one to show: lists of other things may be long. */
function collect(value: unknown, pointer: string, fields: readonly string[], found: FoundString[]): void {
  if (typeof value === 'string') found.push({ text: value, pointer, fields, isName: false });
  else if (Array.isArray(value)) {
    for (const [index, item] of value.entries())
      if (holdsStrings(item)) collect(item, pointer + pointerStep(index), fields, found);
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      const at = pointer + pointerStep(name);
      const inside = [...fields, name];
      found.push({ text: name, pointer: at, fields: inside, isName: true });
      if (holdsStrings(member)) collect(member, at, inside, found);
    }
  }
}

function holdsStrings(value: unknown): boolean {
  return typeof value === 'string' || (typeof value === 'object' && value !== null);
}
