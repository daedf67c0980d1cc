/**
 * Checks most rows without their schema. Parsing each row with its schema would cost the recorder several times as
 * much.
 */
import { z } from 'zod';
import { storableTime } from './recorded.ts';

type Fits = (value: unknown) => boolean;

/** Matches the times that ClickHouse can hold. February 29 does not match, so the schema checks it. */
const STORED_TIME =
  /^(?:19[7-9]\d|2[01]\d\d|22[0-5]\d|226[01])-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

/**
 * Returns a check for rows. If the check returns true, the schema would accept the row unchanged. If the check
 * returns false, ask the schema, which may still accept the row. The check never accepts a kind of column that is not
 * listed here.
 */
export function certainlyFits(schema: z.ZodType): Fits {
  if (schema === storableTime) return (value) => typeof value === 'string' && STORED_TIME.test(value);
  if (schema instanceof z.ZodObject) return columnsFit(schema);
  if (schema instanceof z.ZodNullable) return nullFits(schema);
  if (schema instanceof z.ZodArray) return listFits(schema);
  if (!hasOnlyBounds(schema)) return () => false;
  if (schema instanceof z.ZodString) return textFits(schema);
  if (schema instanceof z.ZodNumberFormat) return integerFits(schema);
  if (schema instanceof z.ZodBoolean) return (value) => typeof value === 'boolean';
  if (schema instanceof z.ZodEnum) return (value) => schema.options.includes(value as string);
  return () => false;
}

const BOUNDS: readonly string[] = ['min_length', 'max_length', 'greater_than', 'less_than'];

/** True if all checks of the schema are inclusive bounds. Any other check needs the schema itself. */
function hasOnlyBounds({ def }: z.ZodType): boolean {
  return (def.checks ?? []).every(({ _zod: { def: bound } }) => {
    return BOUNDS.includes(bound.check) && !('inclusive' in bound && bound.inclusive === false);
  });
}

function textFits({ minLength, maxLength }: z.ZodString): Fits {
  const least = minLength ?? 0;
  const most = maxLength ?? Number.POSITIVE_INFINITY;
  return (value) => typeof value === 'string' && value.length >= least && value.length <= most;
}

function integerFits({ format, minValue, maxValue }: z.ZodNumberFormat): Fits {
  if (format !== 'safeint') return () => false;
  const least = minValue ?? Number.NEGATIVE_INFINITY;
  const most = maxValue ?? Number.POSITIVE_INFINITY;
  return (value) => Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most;
}

function listFits({ element, def }: z.ZodArray): Fits {
  if ((def.checks ?? []).length > 0) return () => false;
  const fits = certainlyFits(element as z.ZodType);
  return (value) => Array.isArray(value) && value.every((item) => fits(item));
}

function nullFits(schema: z.ZodNullable): Fits {
  if ((schema.def.checks ?? []).length > 0) return () => false;
  const fits = certainlyFits(schema.unwrap() as z.ZodType);
  return (value) => value === null || fits(value);
}

/** True if the row has every column of the schema and no other column. */
function columnsFit({ shape, def }: z.ZodObject): Fits {
  if ((def.checks ?? []).length > 0) return () => false;
  const columns = Object.entries(shape).map(([name, column]) => {
    return [name, certainlyFits(column as z.ZodType)] as const;
  });
  return (value) => {
    if (typeof value !== 'object' || value === null) return false;
    const row = value as Readonly<Record<string, unknown>>;
    return Object.keys(row).length === columns.length && columns.every(([name, fits]) => fits(row[name]));
  };
}
