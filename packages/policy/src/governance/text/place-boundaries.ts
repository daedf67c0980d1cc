import { PatternRefused } from '../../arguments/pattern-to-re2.ts';
import { type Beside, BOTH, endOfBranch, endOfTree, OTHER, OUTSIDE_ASCII } from './beside-boundary.ts';
import { type Branch, ONCE, type PatternPart, type PatternTree } from './pattern-tree.ts';

/**
 * Returns the pattern with only those `\b` that have their ASCII meaning. A `\b` beside a letter, digit or mark outside
 * ASCII always holds, so it is removed. If a group beside it has branches of both kinds, the `\b` moves into each
 * branch: `(years old|歳)\b` becomes `(years old\b|歳)`.
 *
 * @throws PatternRefused if both kinds of characters can be beside a `\b`, and no branches separate them
 */
export function placeBoundaries(tree: PatternTree, pattern: string): PatternTree {
  return placeInTree(tree, OTHER, OTHER, pattern);
}

function placeInTree(tree: PatternTree, before: Beside, after: Beside, pattern: string): PatternTree {
  return tree.map((branch) => placeInBranch(branch, before, after, pattern));
}

function placeInBranch(branch: Branch, before: Beside, after: Beside, pattern: string): Branch {
  const parts = branch.filter((part, at) => part.is !== 'boundary' || branch[at - 1]?.is !== 'boundary');
  for (let at = 0; at < parts.length; at += 1) {
    if (parts[at]?.is !== 'boundary') continue;
    const left = endOfBranch(parts.slice(0, at), 'last', before);
    const right = endOfBranch(parts.slice(at + 1), 'first', after);
    if (left === OTHER && right === OTHER) continue;
    const certain = left === OUTSIDE_ASCII || right === OUTSIDE_ASCII;
    if (!certain && !moveInto(parts, at, left === BOTH ? at - 1 : at + 1)) {
      throw new PatternRefused(pattern, UNCERTAIN);
    }
    parts.splice(at, 1);
    at -= 1;
  }
  return parts.map((part, at) => {
    if (part.is !== 'group') return part;
    // In a repeated group, the end of one repeat is beside the beginning of the next.
    const again = part.repeat.most > 1;
    const left =
      endOfBranch(parts.slice(0, at), 'last', before) | (again ? endOfTree(part.branches, 'last', 0) : 0);
    const right =
      endOfBranch(parts.slice(at + 1), 'first', after) | (again ? endOfTree(part.branches, 'first', 0) : 0);
    return { ...part, branches: placeInTree(part.branches, left, right, pattern) };
  });
}

const UNCERTAIN =
  'the character beside \\b can be a letter outside ASCII or another character: write a branch for each, as in (old\\b|歳)';

/** Moves the `\b` into each branch of the group at `to`. False if `to` is no group, or if the group repeats. */
function moveInto(parts: PatternPart[], from: number, to: number): boolean {
  const group = parts[to];
  if (group?.is !== 'group' || group.repeat.most !== 1) return false;
  const boundary = { is: 'boundary' } as const;
  const withIt = (branch: Branch) => (to < from ? [...branch, boundary] : [boundary, ...branch]);
  if (group.repeat.least === 1) {
    parts[to] = { ...group, branches: group.branches.map(withIt) };
    return true;
  }
  const present = [{ ...group, branches: group.branches.map(withIt), repeat: ONCE }];
  const absent = [boundary];
  const isLazy = group.repeat.source === '??';
  parts[to] = {
    is: 'group',
    open: '(?:',
    branches: isLazy ? [absent, present] : [present, absent],
    repeat: ONCE,
  };
  return true;
}
