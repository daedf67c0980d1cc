/** Checks the entities of intents: the fields of their types, and their defaults. */
import { inCase } from '@mandate/policy/governance';
import { ENTITY_TYPES, type IntentDocument, type ManifestDocument } from '@mandate/schemas/manifest';
import { type Found, found, type Path } from '../fault.ts';
import { matchesWholly } from '../patterns.ts';
import { FIELDS_OF_ENTITIES, misplacedFields } from './typed-value.ts';

type Entity = IntentDocument['entities'][number];
type EntityTypes = NonNullable<ManifestDocument['entity_types']>;

export function entityFaults({ intents, entity_types = {} }: ManifestDocument): Found[] {
  return intents.flatMap(({ entities }, intent) =>
    entities.flatMap((entity, at) => {
      const path = ['intents', intent, 'entities', at];
      return [
        ...misplacedFields(asDeclared(entity, entity_types), FIELDS_OF_ENTITIES, path),
        ...missingValues(entity, path),
        ...defaultFaults(entity, entity_types, path),
      ];
    }),
  );
}

/** In a lenient load, an entity with an unknown type is a string. */
function asDeclared(entity: Entity, types: EntityTypes): Entity {
  const isBuiltIn = ENTITY_TYPES.some((type) => type === entity.type);
  return isBuiltIn || Object.hasOwn(types, entity.type) ? entity : { ...entity, type: 'string' };
}

function missingValues({ type, values }: Entity, path: Path): Found[] {
  return type === 'enum' && values === undefined
    ? [found('FIELD_MISSING', [...path, 'values'], 'is missing: list the values of the enum')]
    : [];
}

function defaultFaults(entity: Entity, types: EntityTypes, path: Path): Found[] {
  if (!Object.hasOwn(entity, 'default')) return [];
  const expected = refusalOf(entity, types);
  return expected === null
    ? []
    : [found('DEFAULT_INVALID', [...path, 'default'], `must be ${expected}: correct it, or remove it`)];
}

/** Returns the requirement that the default does not meet. Null if the default fits its type and bounds. */
function refusalOf(entity: Entity, types: EntityTypes): string | null {
  const { default: value, values } = entity;
  const named = Object.hasOwn(types, entity.type) ? types[entity.type] : undefined;
  switch (entity.type) {
    case 'integer':
      return Number.isSafeInteger(value) ? boundsRefusing(entity) : 'a whole number';
    case 'number':
      return typeof value === 'number' ? boundsRefusing(entity) : 'a number';
    case 'enum':
      return values === undefined || values.some((one) => one === value)
        ? null
        : `one of ${values.slice(0, 10).join(', ')}`;
    default:
      if (typeof value !== 'string') return 'a text';
      return named === undefined || isOfType(named, value)
        ? null
        : `a text that matches the pattern of ${entity.type}, in its case`;
  }
}

/** True if the pattern of the type matches the whole value, and the value has the letter case that the type demands. */
function isOfType({ pattern, case: spelling }: EntityTypes[string], value: string): boolean {
  return matchesWholly(pattern, value) && inCase(value, spelling) === value;
}

function boundsRefusing({ default: value, min, max }: Entity): string | null {
  if (min !== undefined && Number(value) < min) return `at least ${min}`;
  return max !== undefined && Number(value) > max ? `at most ${max}` : null;
}
