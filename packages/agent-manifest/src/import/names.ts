/** Makes the names of definitions, steps and tools from names in other files. */

/** Keys that every JavaScript object inherits. No document may use them. */
const RESERVED: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

const LONGEST_KEY = 60;

/**
 * Returns a key for a name: letters, digits, `_` and `-`. Accents are removed, other characters become a dash. A name
 * without any of these characters gives `otherwise`.
 */
export function keyFor(name: string, otherwise: string): string {
  const plain = name
    .slice(0, 1_000)
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^A-Za-z0-9_-]+/g, '-')
    .slice(0, LONGEST_KEY);
  const key = withoutDashes(plain);
  return key === '' || RESERVED.has(key) ? otherwise : key;
}

function withoutDashes(text: string): string {
  let start = 0;
  let end = text.length;
  while (text[start] === '-') start += 1;
  while (end > start && text[end - 1] === '-') end -= 1;
  return text.slice(start, end);
}

/** Makes each name unique: a name that is already taken gets a number at its end. */
export class UniqueNames {
  readonly #taken = new Set<string>();
  readonly #last = new Map<string, number>();

  take(name: string): string {
    let free = name;
    for (let number = (this.#last.get(name) ?? 1) + 1; this.#taken.has(free); number++) {
      free = `${name}-${number}`;
      this.#last.set(name, number);
    }
    this.#taken.add(free);
    return free;
  }

  has(name: string): boolean {
    return this.#taken.has(name);
  }
}

/** True if a tool can have this name. Such a name needs no escapes in an address, in a policy or in a document. */
export function isToolName(name: string): boolean {
  return /^[A-Za-z0-9_][A-Za-z0-9._/-]{0,99}$/.test(name) && !RESERVED.has(name);
}

/** Returns the name of a file without its folders and its endings: `reviewer` for `agents/reviewer.agent.md`. */
export function nameOfFile(path: string): string {
  const last = path.split(/[/\\]/).findLast((part) => part !== '') ?? '';
  return last.replace(/^\.+/, '').split('.')[0] ?? '';
}
