/** Values of JSON, as they are read from files. */
import type { ArgumentSchema } from './imported-agent.ts';

export type Json = ArgumentSchema[string];
export type JsonMap = Readonly<Record<string, Json>>;

export function isMap(value: Json | undefined): value is JsonMap & Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * True if JSON can represent the whole value: YAML has numbers such as `.inf`. A value that is shared by aliases is
 * checked once.
 */
export function isJson(value: unknown, seen: Set<object> = new Set()): value is Json {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object') return false;
  if (seen.has(value)) return true;
  seen.add(value);
  return Object.values(value).every((member) => isJson(member, seen));
}
