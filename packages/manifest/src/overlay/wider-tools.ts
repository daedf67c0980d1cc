/** Finds the tools and roles that only the overlay allows. */
import { deepEqual } from '@mandate/schemas';
import { type ManifestDocument, readRate } from '@mandate/schemas/manifest';
import type { Path } from '../fault.ts';
import { isMap, valueAt } from '../values-at.ts';
import { added, fieldsAt, textsAt, type Widening, widens } from './compare.ts';

export function toolWidenings(before: unknown, after: unknown, { tools = [] }: ManifestDocument): Widening[] {
  const sensitive = new Set(tools.filter((tool) => tool.sensitive).map(({ id }) => id));
  const known = fieldsAt(before, ['tool_permissions']);
  return [
    ...rolesAdded(before, after),
    ...Object.keys(fieldsAt(after, ['tool_permissions'])).flatMap((tool) => {
      const path = ['tool_permissions', tool];
      if (!Object.hasOwn(known, tool))
        return [widens(path, 'the permission is new', 'the permission is gone')];
      return [
        ...allowedRolesAdded(before, after, [...path, 'allowed_roles']),
        ...rateWidens(before, after, [...path, 'rate_limit']),
        ...confirmationDropped(before, after, [...path, 'requires_confirmation'], sensitive.has(tool)),
      ];
    }),
  ];
}

function rolesAdded(before: unknown, after: unknown): Widening[] {
  const ids = (document: unknown) => {
    const roles = valueAt(document, ['roles']);
    return (Array.isArray(roles) ? roles : []).flatMap((role) => (isMap(role) ? [String(role.id)] : []));
  };
  return added(new Set(ids(before)), ids(after), ['roles'], 'people with the role');
}

function allowedRolesAdded(before: unknown, after: unknown, path: Path): Widening[] {
  const was = new Set(textsAt(before, path, []));
  return added(was, textsAt(after, path, []) ?? [], path, 'people with the role');
}

function rateWidens(before: unknown, after: unknown, path: Path): Widening[] {
  const [was, is] = [valueAt(before, path), valueAt(after, path)];
  if (was === undefined || deepEqual(was, is)) return [];
  if (is === undefined) return [widens(path, 'the limit is gone', 'the limit is new')];
  const [limit, rate] = [readRate(was), readRate(is)];
  if (limit.ok && rate.ok && rate.maxCalls <= limit.maxCalls && rate.windowMs >= limit.windowMs) return [];
  return [widens(path, 'more calls, or a shorter window', 'fewer calls, or a longer window')];
}

function confirmationDropped(before: unknown, after: unknown, path: Path, isSensitive: boolean): Widening[] {
  const was = valueAt(before, path) ?? isSensitive;
  const is = valueAt(after, path) ?? isSensitive;
  return was !== false && is === false
    ? [widens(path, 'nobody is asked before a call', 'a person is asked before a call')]
    : [];
}
