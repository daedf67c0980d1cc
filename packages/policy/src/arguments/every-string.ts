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
export function* everyString(
  value: unknown,
  pointer = '',
  fields: readonly string[] = [],
): Generator<FoundString> {
  if (typeof value === 'string') yield { text: value, pointer, fields, isName: false };
  else if (Array.isArray(value)) {
    for (const [index, item] of value.entries())
      yield* everyString(item, pointer + pointerStep(index), fields);
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      const at = pointer + pointerStep(name);
      const inside = [...fields, name];
      yield { text: name, pointer: at, fields: inside, isName: true };
      yield* everyString(member, at, inside);
    }
  }
}
