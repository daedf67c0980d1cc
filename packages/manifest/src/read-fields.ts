/** Checks each field of a document alone: its type, its bounds, its pattern. */
import { readShape } from '@mandate/schemas';
import { type Found, found, isFaultCode, MOST_FAULTS, type Path } from './fault.ts';
import { argumentPatternFault, type PatternRoom, patternRoom, textPatternFault } from './patterns.ts';
import { valuesAt } from './values-at.ts';

type Schema<T> = Parameters<typeof readShape<T>>[0];

/** A kind of document: its schema, and the paths of its patterns. */
export type DocumentForm<T> = {
  schema: Schema<T>;
  /** Patterns that are searched in texts. */
  textPatterns: readonly string[];
  /** Patterns of arguments, as in JSON Schema. */
  argumentPatterns: readonly string[];
};

export type FieldsRead<T> = { ok: true; document: T } | { ok: false; faults: readonly Found[] };

export function readFields<T>(
  value: unknown,
  { schema, textPatterns, argumentPatterns }: DocumentForm<T>,
  inexact: readonly Found[] = [],
): FieldsRead<T> {
  const read = readShape(schema, value, MOST_FAULTS);
  const said = new Set(inexact.map(({ path }) => path.join('.')));
  const shapes = read.ok ? [] : read.faults.map(shapeFault).filter(({ path }) => !said.has(path.join('.')));
  const room = patternRoom();
  const faults = [
    ...inexact,
    ...shapes,
    ...textPatterns.flatMap((path) => refusedPatterns(value, path, room, textPatternFault)),
    ...argumentPatterns.flatMap((path) => refusedPatterns(value, path, room, argumentPatternFault)),
  ];
  return read.ok && faults.length === 0 ? { ok: true, document: read.value } : { ok: false, faults };
}

type ShapeFault = Extract<ReturnType<typeof readShape>, { ok: false }>['faults'][number];

function shapeFault({ path, message, unknownField, missing, code }: ShapeFault): Found {
  if (unknownField) return found('FIELD_UNKNOWN', path, message);
  if (missing) return found('FIELD_MISSING', path, message);
  return found(code !== undefined && isFaultCode(code) ? code : 'VALUE_INVALID', path, message);
}

function refusedPatterns(
  value: unknown,
  paths: string,
  room: PatternRoom,
  faultOf: (pattern: string, room: PatternRoom) => string | null,
): Found[] {
  return valuesAt(value, paths).flatMap(([path, pattern]: readonly [Path, unknown]) => {
    if (typeof pattern !== 'string' || pattern === '') return [];
    const fault = faultOf(pattern, room);
    return fault === null ? [] : [found('PATTERN_REFUSED', path, fault)];
  });
}
