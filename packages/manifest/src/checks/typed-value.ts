/** The fields that only some types of entities and parameters have, and the defaults of both. */
import { type Found, found, type Path } from '../fault.ts';

export type TypedValue = {
  type: string;
  min?: number | undefined;
  max?: number | undefined;
  pattern?: string | undefined;
  values?: readonly unknown[] | undefined;
  items?: string | undefined;
};

/** For each field, the types that may have it. */
export type FieldsOfTypes = { [Field in keyof Omit<TypedValue, 'type'>]: readonly string[] };

const NUMBERS = ['integer', 'number'];

export const FIELDS_OF_ENTITIES: FieldsOfTypes = {
  min: NUMBERS,
  max: NUMBERS,
  pattern: ['string'],
  values: ['enum'],
};
export const FIELDS_OF_PARAMETERS: FieldsOfTypes = {
  min: NUMBERS,
  max: NUMBERS,
  pattern: ['string'],
  values: ['string', ...NUMBERS],
  items: ['array'],
};

export function misplacedFields(value: TypedValue, fields: FieldsOfTypes, path: Path): Found[] {
  const misplaced = Object.entries(fields)
    .filter(([field, types]) => Object.hasOwn(value, field) && !types.includes(value.type))
    .map(([field, types]) =>
      found(
        'VALUE_INVALID',
        [...path, field],
        `belongs to the type ${types.join(' or ')}, not to ${value.type}: remove it, or change the type`,
      ),
    );
  const { min, max } = value;
  if (misplaced.length > 0 || min === undefined || max === undefined || min <= max) return misplaced;
  return [found('VALUE_INVALID', [...path, 'max'], `is below min, so no value fits: write at least ${min}`)];
}
