/** Checks the JSON Schemas of a manifest: those of inputs, outputs and state, of agents, and of inline tools. */
import { compileSchemaRules, roomToWrite } from '@mandate/policy';
import { type Found, found, type Path } from './fault.ts';
import { type Fields, fieldOf, isMap, writtenDefinitions } from './written.ts';

/** A schema that is not checked yet, with its path. */
type WrittenSchema = readonly [path: Path, schema: unknown];

/** The total size that the patterns of the manifest may still have. */
type Room = ReturnType<typeof roomToWrite>['patterns'];

export function schemaFaults(document: unknown): Found[] {
  const agents = writtenDefinitions(document, 'agent');
  const room = roomToWrite().patterns;
  const faultAt = ([path, schema]: WrittenSchema): Found[] => {
    const message = room.left < 0 ? PATTERNS_TOO_LARGE : schemaFault(schema, room);
    return message === null ? [] : [found('SCHEMA_INVALID', path, message)];
  };
  const ofValues = [
    ...sidesOf(document, []),
    ...schemasIn(fieldOf(fieldOf(document, 'state'), 'schema'), ['state', 'schema']),
    ...schemasByName(fieldOf(fieldOf(document, 'state'), 'properties'), ['state', 'properties']),
    ...agents.flatMap(([path, agent]) => sidesOf(agent, path)),
  ];
  const ofArguments = agents.flatMap(([path, agent]) => parametersIn(agent, path));
  return [
    ...ofValues.flatMap(faultAt),
    ...ofArguments.flatMap((written) => {
      const faults = faultAt(written);
      return faults.length > 0 ? faults : typeFaults(written);
    }),
  ];
}

function sidesOf(part: unknown, path: Path): WrittenSchema[] {
  const sides = fieldOf(part, 'interface');
  return ['inputs', 'outputs'].flatMap((side) =>
    schemasIn(fieldOf(sides, side), [...path, 'interface', side]),
  );
}

/** Returns one schema if the value is written as a JSON Schema, otherwise one schema for each name. */
function schemasIn(written: unknown, path: Path): WrittenSchema[] {
  if (!isMap(written)) return [];
  return isWholeSchema(written) ? [[path, written]] : schemasByName(written, path);
}

function schemasByName(written: unknown, path: Path): WrittenSchema[] {
  return isMap(written) ? Object.entries(written).map(([name, schema]) => [[...path, name], schema]) : [];
}

/** True if inputs, outputs or state are one JSON Schema. Otherwise they are a map from names to schemas. */
function isWholeSchema(written: Fields): boolean {
  return written.type === 'object' || typeof written.$schema === 'string';
}

function parametersIn(agent: Fields, path: Path): WrittenSchema[] {
  if (!Array.isArray(agent.tools)) return [];
  return agent.tools.flatMap((tool: unknown, at): WrittenSchema[] => {
    const parameters = fieldOf(tool, 'parameters');
    return isMap(parameters) ? [[[...path, 'tools', at, 'parameters'], parameters]] : [];
  });
}

/** Arguments must be an object, but a schema without a type accepts any value. */
function typeFaults([path, schema]: WrittenSchema): Found[] {
  if (fieldOf(schema, 'type') === 'object') return [];
  return [found('SCHEMA_INVALID', path, 'must have type: object, because arguments are an object')];
}

const PATTERNS_TOO_LARGE =
  'cannot be checked, because the patterns of the manifest are too large together: write fewer repeats';

/** The maximum number of faults that are reported for one schema. */
const MOST_NAMED = 3;

function schemaFault(schema: unknown, room: Room): string | null {
  if (typeof schema === 'boolean') return null;
  if (!isMap(schema)) return 'must be a JSON Schema: an object, true or false';
  const compiled = compileSchemaRules(schema, room);
  if (!compiled.ok) {
    const named = compiled.faults
      .slice(0, MOST_NAMED)
      .map(({ path, message }) => (path.length === 0 ? message : `${path.join('.')}: ${message}`));
    return `is no JSON Schema that can be enforced: ${named.join('; ')}`;
  }
  return room.left < 0 ? PATTERNS_TOO_LARGE : null;
}
