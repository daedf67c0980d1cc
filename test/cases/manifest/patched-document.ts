import { parse } from 'yaml';
import { type CaseDocument, textOf } from './manifest-cases.ts';

/** Returns a document of a case as data, with a merge patch (RFC 7386) laid over it. */
export function patchedDocument<T>(document: CaseDocument, ...patches: readonly unknown[]): T {
  return patches.reduce((merged, patch) => mergePatch(merged, patch), parse(textOf(document))) as T;
}

function mergePatch(target: unknown, patch: unknown): unknown {
  if (patch === undefined) return target;
  if (!isMap(patch)) return patch;
  const merged = isMap(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete merged[name];
    else merged[name] = mergePatch(merged[name], value);
  }
  return merged;
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
