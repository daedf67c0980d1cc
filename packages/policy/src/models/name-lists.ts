/**
 * The lists of models and providers in mandates and policies. Their patterns are globs over normal forms: letter case does
 * not count, known providers before a model are read as such, and a name stands for all spellings of its model.
 */
import { compileGlobs } from '../glob.ts';
import { folded, foldedName } from './known-providers.ts';
import { readModelName } from './model-name.ts';
import { normalProvider } from './normal-form.ts';
import { otherSpellings } from './spellings.ts';

/** Names the first pattern of its list that matches, or null. `steps`: how many a character of a name takes at most. */
export type NameList = { match(names: readonly string[]): string | null; readonly steps: number };

export function compileModels(patterns: readonly string[]): NameList {
  return compileNames(patterns, modelPatterns);
}

export function compileProviders(patterns: readonly string[]): NameList {
  return compileNames(patterns, providerPatterns);
}

/** As it is written, and in its normal form where it is a name that Mandate knows. */
export function providerPatterns(pattern: string): readonly string[] {
  const name = foldedName(pattern);
  return [...new Set([normalProvider(name), name])];
}

/** The globs that a pattern of models stands for: as it is written, and in its normal form. */
export function modelPatterns(pattern: string): readonly string[] {
  const written = folded(pattern);
  const { path, model } = readModelName(pattern);
  // `models/*` is written of the names that begin so, and not of all.
  const isAny = path.length === 0 && /^\**$/.test(model);
  const normal = isAny ? written : [...path, model].join('/');
  const spelled = isAny ? [] : otherSpellings(model).map((name) => [...path, name].join('/'));
  return [...new Set([normal, ...spelled, written])];
}

function compileNames(
  patterns: readonly string[],
  globsOf: (pattern: string) => readonly string[],
): NameList {
  const origins = new Map<string, string>();
  for (const pattern of patterns) {
    for (const glob of globsOf(pattern)) if (!origins.has(glob)) origins.set(glob, pattern);
  }
  const matcher = compileGlobs([...origins.keys()]);
  const areAsWritten = [...origins].every(([glob, pattern]) => glob === pattern);
  const find = (names: readonly string[]) => {
    for (let at = 0; at < names.length; at += 1) {
      const glob = matcher(names[at] as string);
      if (glob !== null) return areAsWritten ? glob : (origins.get(glob) ?? glob);
    }
    return null;
  };
  // Agents call the same model again and again, and all its calls share one list of names.
  let latest: readonly string[] | null = null;
  let found: string | null = null;
  return {
    steps: matcher.steps,
    match(names) {
      if (latest !== names) {
        found = find(names);
        latest = names;
      }
      return found;
    },
  };
}
