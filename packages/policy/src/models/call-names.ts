/** Finds the names of a call's model and providers that lists and records use. */
import { folded, foldedName, makerOf, providerNamed } from './known-providers.ts';
import { readModelName } from './model-name.ts';
import { normalProvider } from './normal-form.ts';
import { deniedSpellingsOf, spellingsOf } from './spellings.ts';

/**
 * The names that a pattern in a list may match. `allowed` is for allowing patterns: a pattern with a path must match
 * the whole path, and a pattern without a path matches the model on every path. `denied` is for denying patterns. It
 * contains all of `allowed` and more names, because a denying pattern covers more.
 */
export type ListedNames = { readonly allowed: readonly string[]; readonly denied: readonly string[] };

export type CallNames = {
  /** The normal form of the model: in lower case, without provider and maker, with its version. */
  readonly model: string;
  /**
   * The normal form of the provider that is called first. Null if neither the request nor the name of the model
   * contains a provider.
   */
  readonly provider: string | null;
  /** All names of the model. The first is its normal form. */
  readonly spellings: readonly string[];
  /** The paths that may come before the model's name: the whole path first, the empty path last. */
  readonly ways: readonly string[];
  readonly models: ListedNames;
  /** Every provider that is called. Empty if no provider is known. */
  readonly providers: readonly ListedNames[];
  /** The total length of all names of this call, in characters. */
  readonly units: number;
};

export function callNames(statedProvider: string | undefined, statedModel: string): CallNames {
  const stated = statedProvider === undefined ? null : foldedName(statedProvider);
  const name = readModelName(statedModel, stated !== null);
  const provider = stated === null ? (name.providers[0] ?? null) : normalProvider(stated);
  const others = name.providers.filter((id) => id !== provider);
  const providers = [stated ?? provider ?? [], others].flat().map(namesOfProvider);
  const whole = provider === null || name.path[0] === provider ? name.path : [provider, ...name.path];
  const spellings = spellingsOf(name.model);
  const ways = eachOnce([whole.join('/'), name.path.join('/'), '']);
  const models = {
    allowed: eachOnce([...joined(ways.toReversed(), spellings), folded(statedModel)]),
    denied: deniedNames(folded(statedModel), name.model, whole, ways),
  };
  const units = unitsOf([models, ...providers]);
  return { model: name.model, provider, spellings, ways, models, providers, units };
}

/**
 * Returns the names of a provider. `allowed` begins with the normal form. `denied` also contains the provider's other
 * names, and the names of the larger provider that it is part of. So a pattern that denies one of these names denies
 * the provider.
 */
function namesOfProvider(name: string): ListedNames {
  const known = providerNamed(name);
  if (known === null) return { allowed: [name], denied: [name] };
  const larger = known.partOf === null ? [] : (providerNamed(known.partOf)?.names ?? []);
  return {
    allowed: eachOnce([known.id, name]),
    denied: eachOnce([...known.names, name, ...larger]),
  };
}

/**
 * Returns the names that a denying pattern may match. A pattern that denies `openai/gpt-4o` also denies this model
 * after any prefix, and in calls that do not name `openai`.
 */
function deniedNames(
  given: string,
  model: string,
  whole: readonly string[],
  ways: readonly string[],
): readonly string[] {
  const ends = whole.map((_, at) => whole.slice(at));
  const deniedWays = new Set([
    ...ways.toReversed(),
    ...ends.map((end) => end.join('/')),
    // `bedrock/anthropic.claude-*` covers the model in every region.
    ...ends.slice(2).map((end) => [whole[0], ...end].join('/')),
    ...whole,
  ]);
  // An unknown name before a slash must not hide a denied model. So every part that follows a slash is checked too.
  const inner = [model, ...endsOf(model)].flatMap((name) => {
    const maker = makerOf(name);
    return joined(maker === null ? [''] : ['', maker], deniedSpellingsOf(name));
  });
  return eachOnce([...joined(deniedWays, deniedSpellingsOf(model)), ...inner, given]);
}

function joined(ways: Iterable<string>, names: readonly string[]): string[] {
  return [...ways].flatMap((way) => names.map((name) => (way === '' ? name : `${way}/${name}`)));
}

/** Returns the parts of a name that follow its slashes: `c` and `b/c` for `a/b/c`. */
function endsOf(model: string): string[] {
  const segments = model.split('/');
  const most = Math.min(segments.length - 1, MOST_ENDS);
  return Array.from({ length: most }, (_, at) => segments.slice(-at - 1).join('/'));
}

const MOST_ENDS = 8;

function eachOnce(names: readonly string[]): readonly string[] {
  return [...new Set(names)];
}

function unitsOf(all: readonly ListedNames[]): number {
  return all.reduce((sum, { denied }) => sum + denied.reduce((units, name) => units + name.length, 0), 0);
}
