/** Checks the parameters of tools: the fields of their types, and their defaults. */
import type { ManifestDocument } from '@mandate/schemas/manifest';
import { argumentFaults } from '../argument-faults.ts';
import { type Found, found, type Path } from '../fault.ts';
import { type Parameter, parameterSchema } from '../parameter-schema.ts';
import { FIELDS_OF_PARAMETERS, misplacedFields } from './typed-value.ts';

export function parameterFaults({ tools = [] }: ManifestDocument): Found[] {
  return tools.flatMap(({ params }, tool) =>
    Object.entries(params).flatMap(([name, parameter]) => {
      const path = ['tools', tool, 'params', name];
      const misplaced = misplacedFields(parameter, FIELDS_OF_PARAMETERS, path);
      return misplaced.length > 0 ? misplaced : valueFaults(parameter, path);
    }),
  );
}

function valueFaults(parameter: Parameter, path: Path): Found[] {
  const hasDefault = Object.hasOwn(parameter, 'default');
  if (!hasDefault && parameter.values === undefined) return [];
  const { values, ...open } = parameter;
  const type = argumentFaults(parameterSchema(open));
  if (!type.ok) return [found('VALUE_INVALID', path, type.message)];
  const unfit = (values ?? []).findIndex((value) => type.faultOf(value) !== null);
  if (unfit !== -1) {
    const message = `must be ${type.faultOf(values?.[unfit])}, as the type and the bounds say`;
    return [found('VALUE_INVALID', [...path, 'values', unfit], message)];
  }
  if (!hasDefault) return [];
  const whole = argumentFaults(parameterSchema(parameter));
  const expected = whole.ok ? whole.faultOf(parameter.default) : whole.message;
  return expected === null
    ? []
    : [found('DEFAULT_INVALID', [...path, 'default'], `must be ${expected}: correct it, or remove it`)];
}
