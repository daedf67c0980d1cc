/**
 * Lists of models and providers, in the form that lint compares: names that a list may allow, and names that it
 * certainly denies. A model has many spellings (models/spellings.ts). Here the shortest spelling represents the
 * model: without path and version, and without separators in a version number.
 */
import { compileGlobs } from '@mandate/policy';
import { modelPatterns, PROVIDERS, providerPatterns, withoutVersion } from '@mandate/policy/parts';
import type { Names } from './empty-together.ts';

export function modelNames(allowed: readonly string[], denied: readonly string[]): Names {
  return { allowed: once(allowed.flatMap(allowedModels)), denied: once(denied.flatMap(deniedModels)) };
}

export function providerNames(allowed: readonly string[], denied: readonly string[]): Names {
  return {
    allowed: once(allowed.flatMap(allowedProviders)),
    denied: once(denied.flatMap(providerPatterns)),
  };
}

function allowedModels(pattern: string): readonly string[] {
  return modelPatterns(pattern).flatMap((glob) => {
    const model = glob.slice(glob.lastIndexOf('/') + 1);
    if (!model.includes('*')) return joined(withoutVersion(model));
    // In a Claude name the version is before or after the family (`sonnet`). A pattern with a star therefore counts
    // as `claude*`.
    if (model.startsWith('claude')) return 'claude*';
    // The last star may match a version, or the rest of a version.
    const cuts = [...model.matchAll(/[-@:]/g)].filter(({ index }) => BEGUN_VERSION.test(model.slice(index)));
    return [model, ...cuts.map(({ index }) => model.slice(0, index))].map(withoutVersion).map(joined);
  });
}

const BEGUN_VERSION = /^(?:-(?:[12][-\d]*|l[a-z]*|v\d*)?(?::\d*)?|[@:][^*]*)\*$/;

/** Returns the globs of a denied pattern, without globs that may match one spelling of a model but not another. */
function deniedModels(pattern: string): readonly string[] {
  return modelPatterns(pattern).filter((glob) => !glob.includes('/') && !IN_VERSION.test(glob));
}

const IN_VERSION = /\d[.p-]?\d|\d[.p-]\*|\*[.p-]\d/;

/** Makes `gpt-41` of both `gpt-4.1` and `gpt-4-1`. */
function joined(model: string): string {
  return model.replace(/(?<=[\d*])[.p-](?=[\d*])/g, '');
}

function allowedProviders(pattern: string): readonly string[] {
  const matches = compileGlobs(providerPatterns(pattern));
  const known = PROVIDERS.filter(({ names }) => names.some((name) => matches(name) !== null));
  return [...providerPatterns(pattern), ...known.map(({ id }) => id)];
}

function once(patterns: readonly string[]): readonly string[] {
  return [...new Set(patterns)];
}
