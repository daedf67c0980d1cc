/** Finds parts of a document whose fields were not checked. */
import type { Path } from './fault.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** A part of the document with the path to it. */
export type Written = readonly [path: Path, fields: Fields];

export function isMap(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns a field of a map. Undefined if the value is not a map, or has no such field. */
export function fieldOf(value: unknown, name: string): unknown {
  return isMap(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** Returns the definitions of a type, including members of packs that have this type. */
export function writtenDefinitions(document: unknown, type: 'agent' | 'skill'): Written[] {
  const all: Written[] = [];
  for (const [path, definition] of mapsIn(document, 'definitions')) {
    if (definition.type === type) all.push([path, definition]);
    if (definition.type !== 'tool_pack') continue;
    const list = `${type}s`;
    const members = fieldOf(definition, list);
    if (!Array.isArray(members)) continue;
    for (const [at, member] of members.entries())
      if (isMap(member) && member.type === type) all.push([[...path, list, at], member]);
  }
  return all;
}

export function writtenSteps(document: unknown): Written[] {
  return mapsIn(fieldOf(document, 'workflow'), 'steps', ['workflow']);
}

function mapsIn(value: unknown, name: string, before: Path = []): Written[] {
  const within = fieldOf(value, name);
  if (!isMap(within)) return [];
  return Object.entries(within).flatMap(([key, inner]): Written[] =>
    isMap(inner) ? [[[...before, name, key], inner]] : [],
  );
}
