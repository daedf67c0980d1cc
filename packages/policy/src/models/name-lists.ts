/**
 * The lists of models and providers in mandates and policies. Their patterns are globs over normal forms. Letter case
 * is ignored, known providers before a model are recognized, and a name covers all spellings of its model.
 */
import { compileGlobs } from '../glob.ts';
import { folded, foldedName } from './known-providers.ts';
import { readModelName } from './model-name.ts';
import { normalProvider } from './normal-form.ts';
import { otherSpellings } from './spellings.ts';

/**
 * A list of patterns. `match` returns the first pattern that matches one of the names, or null. `steps` is the maximum
 * number of steps for each character of a name.
 */
export type NameList = { match(names: readonly string[]): string | null; readonly steps: number };

export function compileModels(patterns: readonly string[]): NameList {
  return compileNames(patterns, modelPatterns);
}

export function compileProviders(patterns: readonly string[]): NameList {
  return compileNames(patterns, providerPatterns);
}

/** Returns the pattern as written. If it is a known name, the normal form is returned too. */
export function providerPatterns(pattern: string): readonly string[] {
  const name = foldedName(pattern);
  return [...new Set([normalProvider(name), name])];
}

/** Returns the globs of a model pattern: the pattern as written, and its normal form. */
export function modelPatterns(pattern: string): readonly string[] {
  const written = folded(pattern);
  const { path, model } = readModelName(pattern);
  // `models/*` stays as written. Without its first part it would become `*`, which matches every model.
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
  // The last list of names. Agents call the same model again and again, and all calls of this model pass the same
  // list.
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
