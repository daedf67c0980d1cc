import { literalOf } from './pattern-literal.ts';
import type { Branch, PatternPart, PatternTree } from './pattern-tree.ts';
import { withoutCase } from './without-case.ts';

/** The maximum number of literals for one pattern. More literals cost more time than they save. */
const MOST = 64;
/** A shorter literal is in almost every text. */
const SHORTEST = 2;

/**
 * Returns literals without case. Every match of the pattern contains at least one of them, so a text with none of them
 * needs no search. Null if no such literals are known.
 */
export function requiredLiterals(tree: PatternTree): readonly string[] | null {
  const literals: string[] = [];
  for (const branch of tree) {
    const ofBranch = literalsOfBranch(branch);
    if (ofBranch === null || literals.length + ofBranch.length > MOST) return null;
    literals.push(...ofBranch);
  }
  return literals;
}

function literalsOfBranch(branch: Branch): readonly string[] | null {
  let best: readonly string[] | null = null;
  const offer = (literals: readonly string[] | null) => {
    if (literals !== null && shortest(literals) > shortest(best ?? [])) best = literals;
  };
  let run = '';
  for (const part of branch) {
    const literal = literalOfPart(part);
    if (literal !== null) run += literal;
    if (literal !== null && part.is === 'character' && part.repeat.most === 1) continue;
    if (part.is === 'anchor' || part.is === 'boundary') continue;
    offer([run]);
    run = '';
    if (part.is === 'group' && part.repeat.least > 0) offer(requiredLiterals(part.branches));
  }
  offer([run]);
  return best;
}

function shortest(literals: readonly string[]): number {
  const least = Math.min(...literals.map(({ length }) => length));
  return literals.length > 0 && least >= SHORTEST ? least : 0;
}

/** Returns the character that the part requires. Null for a character that folding changes: no folded text has it. */
function literalOfPart(part: PatternPart): string | null {
  if (part.is !== 'character' || part.repeat.least === 0) return null;
  const literal = literalOf(part.source);
  if (literal === null || literal.normalize('NFKC') !== literal) return null;
  return withoutCase(literal);
}
