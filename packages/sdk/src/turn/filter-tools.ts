/** Removes the definitions of tools that a model must not see. */
import { isObject } from '../create-action.ts';

/**
 * Returns the definitions with an allowed name, unchanged. A list may have the form of any provider: `name`,
 * `function.name`, or `functionDeclarations`. An object has the tools by name. A definition without a name is left out,
 * because only a name can be looked up in `allowed`.
 */
export function filterTools<T extends readonly object[] | Readonly<Record<string, unknown>>>(
  definitions: T,
  allowed: readonly string[],
): T {
  const names = new Set(allowed);
  if (!Array.isArray(definitions)) {
    const shown = Object.entries(definitions).filter(([name]) => names.has(name));
    return Object.fromEntries(shown) as T;
  }
  return definitions.flatMap((definition: object) => shownOf(definition, names)) as unknown as T;
}

function shownOf(definition: object, names: ReadonlySet<string>): object[] {
  const { functionDeclarations: declarations } = definition as { functionDeclarations?: unknown };
  if (!Array.isArray(declarations)) return names.has(nameOf(definition)) ? [definition] : [];
  const shown = declarations.filter((one) => isObject(one) && names.has(nameOf(one)));
  return shown.length === 0 ? [] : [{ ...definition, functionDeclarations: shown }];
}

function nameOf(definition: { name?: unknown; function?: unknown }): string {
  const { name, function: inner } = definition;
  const stated = isObject(inner) ? inner.name : name;
  return typeof stated === 'string' ? stated : '';
}
