/** Finds the names of one model: with and without its version, and in the spellings of different providers. */

/** Patterns for endings that name one version of a model: a full date, `@…`, `-latest`, Bedrock's `-v1:0`. */
const VERSIONS: readonly RegExp[] = [
  /@(?:\d{3,8}|latest|default)$/,
  /(?:-v\d{1,2}|-1)?:\d{1,2}$/,
  /-(?:19|20)\d{2}-?(?:0[1-9]|1[0-2])-?(?:0[1-9]|[12]\d|3[01])$/,
  /-latest$/,
];

/**
 * Patterns for endings that a denying list ignores, because the model stays the same: `:free`, `-0613`, `-v2`,
 * `-002`.
 */
const VARIANTS: readonly RegExp[] = [...VERSIONS, /[:@][^/:@]+$/, /-\d{4}$/, /-v\d{1,2}$/, /-00\d$/];

/** Matches the separator before the last part of a version number: `gpt-5-6-sol`, and Fireworks' `kimi-k2p6`. */
const DASH_IN_VERSION = /(?<=\d)[-p](?=\d(?![0-9a-z*]))/g;
const DOT_IN_VERSION = /(?<=\d)\.(?=[\d*]|$)/g;

/** Matches Azure's spelling of `gpt-3.5`. */
const GPT_35 = /^gpt-35(?=-|$)/;

/** Matches Claude's names with the version at the end: `claude-opus-4-1` and `claude-4-1-opus` are the same model. */
const CLAUDE_BY_NAME = /^claude-([a-z]+)-(\d{1,2}(?:-\d)?)(?![0-9a-z])/;
const CLAUDE_BY_VERSION = /^claude-(\d{1,2}(?:-\d)?)-([a-z]+)(?![0-9a-z])/;

/**
 * Returns the names that match a model in lists. If the model's name has a version, the name without it is included:
 * `gpt-4o` in a list means all its versions, and `gpt-4o-2024-08-06` means that version alone.
 *
 * @param model without provider and maker, in lower case
 */
export function spellingsOf(model: string): readonly string[] {
  return eachSpelled(withoutEndings(model, VERSIONS));
}

/**
 * Returns the names of `spellingsOf`, and more names that match only in a denying list. An example is the base model
 * from which this model was tuned.
 */
export function deniedSpellingsOf(model: string): readonly string[] {
  const tuned = /^ft:([^:]+)/.exec(model)?.[1];
  const names = [...withoutEndings(model, VERSIONS), ...(tuned === undefined ? [] : [tuned])];
  return eachSpelled(names.flatMap((name) => withoutEndings(name, VARIANTS)));
}

/**
 * Returns a name or pattern in the spelling of other providers: versions with dots, Anthropic's models with dashes.
 */
export function otherSpellings(name: string): readonly string[] {
  const dotted = name.replace(DASH_IN_VERSION, '.').replace(GPT_35, 'gpt-3.5');
  if (!name.startsWith('claude-')) return [dotted];
  const dashed = name.replace(DOT_IN_VERSION, '-');
  const turned = CLAUDE_BY_VERSION.test(dashed)
    ? dashed.replace(CLAUDE_BY_VERSION, 'claude-$2-$1')
    : dashed.replace(CLAUDE_BY_NAME, 'claude-$2-$1');
  return [dotted, dashed, turned];
}

export function withoutVersion(model: string): string {
  return withoutEndings(model, VERSIONS).at(-1) ?? model;
}

/** Returns a name without the endings of Bedrock and Vertex: `-v1:0`, `@20240620`. */
export function unwrapped(model: string): string {
  return VERSIONS.slice(0, 2).reduce((name, ending) => name.replace(ending, '') || name, model);
}

function eachSpelled(names: readonly string[]): readonly string[] {
  return [...new Set(names.flatMap((name) => [name, ...otherSpellings(name)]))];
}

/**
 * The maximum number of names that are returned. If more endings can be removed, each further name replaces the last
 * name.
 */
const MOST_CUTS = 4;

/** Returns the name itself, and the rest after each removed ending. The rest is never empty. */
function withoutEndings(name: string, endings: readonly RegExp[]): readonly string[] {
  const names = [name];
  let left = name;
  for (let at = 0; at < endings.length; at += 1) {
    const cut = left.replace(endings[at] as RegExp, '');
    if (cut === '' || cut === left) continue;
    if (names.length === MOST_CUTS) names.pop();
    names.push(cut);
    left = cut;
    at = -1;
  }
  return names;
}
