/** Reads the syntax trees of oxc-parser. Their nodes are plain objects. */

export type Node = { type: string; start: number; end: number; [field: string]: unknown };

export function isNode(value: unknown): value is Node {
  return value !== null && typeof value === 'object' && 'type' in value && typeof value.type === 'string';
}

export function nodes(value: unknown): Node[] {
  return Array.isArray(value) ? value.filter(isNode) : [];
}

/** Returns the name of an identifier, or the text of a literal. */
export function nameOf(node: unknown): string {
  return isNode(node) ? String(node.name ?? node.value ?? '') : '';
}

/** Returns the module that an import or an export names, or null if it names none. */
export function sourceOf({ source }: Node): string | null {
  return isNode(source) ? String(source.value) : null;
}
