/** Values filed under literals, found again by walking a name once from one of its ends. */
export interface LiteralTrie<V> {
  add(literal: string, value: V): void;
  /** Calls back with the values of every literal the name begins (or ends) with, shortest literal first. */
  visit(name: string, onValues: (values: readonly V[]) => void): void;
}

interface Node<V> {
  values: V[];
  children: Map<number, Node<V>> | null;
}

/** `forwards` reads literals and names from their first code unit, `backwards` from their last. */
export function literalTrie<V>(direction: 'forwards' | 'backwards'): LiteralTrie<V> {
  const root: Node<V> = { values: [], children: null };
  const unitAt =
    direction === 'forwards'
      ? (text: string, depth: number) => text.charCodeAt(depth)
      : (text: string, depth: number) => text.charCodeAt(text.length - 1 - depth);

  return {
    add(literal, value) {
      let node = root;
      for (let depth = 0; depth < literal.length; depth += 1) {
        const unit = unitAt(literal, depth);
        node.children ??= new Map();
        let child = node.children.get(unit);
        if (child === undefined) {
          child = { values: [], children: null };
          node.children.set(unit, child);
        }
        node = child;
      }
      node.values.push(value);
    },
    visit(name, onValues) {
      let node: Node<V> | undefined = root;
      for (let depth = 0; node !== undefined; depth += 1) {
        if (node.values.length > 0) onValues(node.values);
        node = depth < name.length ? node.children?.get(unitAt(name, depth)) : undefined;
      }
    },
  };
}
