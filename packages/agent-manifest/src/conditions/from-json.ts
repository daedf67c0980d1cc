/** Makes values of CEL from JSON data. Only the data that an expression reads are converted. */
import type { StepBudget } from '@mandate/policy/parts';
import { positionsOf, type Schemas, saysInteger, schemasOfItem, schemasOfMember } from './integer-schemas.ts';
import type { Dictionary, List, Value } from './values.ts';
import { EvaluationEnded, spend } from './work.ts';

/** The maximum depth of data that an expression may use. Data from outside are never deeper. */
const DEEPEST = 200;

/** @throws EvaluationEnded if the data are no JSON, too deep or too large */
export function valueOfJson(json: unknown, schemas: Schemas, budget: StepBudget, depth = 0): Value {
  if (depth > DEEPEST) throw new EvaluationEnded(`its data are nested deeper than ${DEEPEST}`);
  if (json === null || typeof json === 'boolean' || typeof json === 'string') return json;
  if (typeof json === 'number') {
    return Number.isSafeInteger(json) && saysInteger(schemas) ? BigInt(json) : json;
  }
  if (Array.isArray(json)) return listOfJson(json, schemas, budget, depth);
  if (typeof json === 'object') return mapOfJson(json, schemas, budget, depth);
  throw new EvaluationEnded('its data are no JSON');
}

function listOfJson(json: readonly unknown[], schemas: Schemas, budget: StepBudget, depth: number): List {
  spend(budget, json.length);
  const positions = positionsOf(schemas);
  const rest = schemasOfItem(schemas, positions);
  const items = json.map((item, at) =>
    valueOfJson(item, at < positions ? schemasOfItem(schemas, at) : rest, budget, depth + 1),
  );
  return { is: 'list', items };
}

/** Names that objects inherit, such as `constructor`, are absent unless the data contain them. */
function mapOfJson(json: object, schemas: Schemas, budget: StepBudget, depth: number): Dictionary {
  const values = new Map<string, Value>();
  let names: readonly string[] | null = null;
  const keys = () => {
    if (names === null) {
      names = Object.keys(json);
      spend(budget, names.length);
    }
    return names;
  };
  return {
    is: 'map',
    size: () => keys().length,
    keys,
    get(key) {
      if (typeof key !== 'string' || !Object.hasOwn(json, key)) return undefined;
      const known = values.get(key);
      if (known !== undefined) return known;
      const value = valueOfJson(Reflect.get(json, key), schemasOfMember(schemas, key), budget, depth + 1);
      values.set(key, value);
      return value;
    },
  };
}
