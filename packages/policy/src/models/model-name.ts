/**
 * Parses the name of a model. `openrouter/openai/gpt-4o:free` is the model `gpt-4o:free` of the maker `openai`,
 * called through `openrouter`. Only known providers and makers are recognized. The whole of `mallory/gpt-4o` is the
 * model's name, because it is another model than `gpt-4o`.
 */
import { folded, foldedName, makerNamed, providerNamed } from './known-providers.ts';

export type ModelName = {
  /** The known providers, regions and makers before the model, in their normal forms and in the order of the name. */
  readonly path: readonly string[];
  /** The providers in `path` that are called. The first provider is called first. */
  readonly providers: readonly string[];
  /** The name of the model itself, in lower case, with its version and everything else that follows. */
  readonly model: string;
};

/** Words in paths that name neither the model nor the provider of the call. */
const FILLERS: ReadonlySet<string> = new Set([
  ...['models', 'publishers', 'foundation-model', 'inference-profile'],
  ...['chat', 'responses', 'converse', 'invoke'],
]);

const REGION_GROUPS = 'us|us-gov|eu|apac|jp|au|ca|in|sa|me|af|global';

/** Matches regions such as `us-east-1`, and the names of region groups of AWS and Azure. */
const REGION = new RegExp(`^(?:[a-z]{2}(?:-[a-z]+)+-\\d|${REGION_GROUPS})$`);

/** Matches the names of models on Bedrock: `anthropic.claude-opus-4-1`, `us.amazon.nova-pro-v1:0`. */
const DOTTED = new RegExp(`^(?:(${REGION_GROUPS})\\.)?([a-z0-9-]+)\\.(.+)$`);

/**
 * Matches names of models as frameworks write them: `openai:gpt-4o`. `mistral:7b` does not match, because there the
 * colon separates a model and its size.
 */
const BEFORE_COLON = /^([a-z0-9_.-]+):((?=[a-z])[^/]*[-\d].*|.*\/.*)$/;

/**
 * At most this many parts may come before the model in a name: `azure/openai/gpt-4o` has two. No provider uses more.
 */
const MOST_SEGMENTS = 6;

const BEGINNINGS: readonly (readonly [beginning: RegExp, provider: string])[] = [
  [/^arn:aws[a-z-]*:bedrock:[^/]*\//, 'aws'],
  [/^projects\/[^/]+\/locations\/[^/]+\/(?=publishers\/)/, 'google-vertex'],
  [/^accounts\/fireworks\/(?:models|routers)\//, 'fireworks'],
  [/^@(?:cf|hf)\//, 'cloudflare'],
];

/**
 * @param text the name as given. `path` and `model` together contain all parts of the name in lower case, except
 *   fillers
 * @param hasProvider true if the provider is named elsewhere. Then a name that a provider and a maker share means the
 *   maker
 */
export function readModelName(text: string, hasProvider = false): ModelName {
  const path: string[] = [];
  const providers: string[] = [];
  let rest = folded(text);

  const calls = (provider: string) => {
    if (providers.includes(provider)) return;
    providers.push(provider);
    passes(provider);
  };
  const passes = (name: string) => {
    if (path.at(-1) !== name) path.push(name);
  };
  const readSegment = (segment: string): boolean => {
    const name = foldedName(segment);
    const provider = providerNamed(name);
    const maker = makerNamed(name);
    const isFirst = path.length === 0 && !hasProvider;
    if (provider !== null && (maker === null || (isFirst && provider.id === maker))) calls(provider.id);
    else if (maker !== null) passes(maker);
    else if (path.length > 0 && REGION.test(name)) passes(name);
    else return FILLERS.has(name);
    return true;
  };

  const readBeginning = () => {
    for (const [beginning, provider] of BEGINNINGS) {
      if (!beginning.test(rest)) continue;
      rest = rest.replace(beginning, '');
      calls(provider);
    }
    const [, before, after] = BEFORE_COLON.exec(rest) ?? [];
    if (before === undefined || after === undefined || providerNamed(foldedName(before)) === null) return;
    readSegment(before);
    rest = after;
  };
  const readSegments = () => {
    for (let slash = rest.indexOf('/'); slash > 0 && slash < rest.length - 1; slash = rest.indexOf('/')) {
      if (path.length >= MOST_SEGMENTS || !readSegment(rest.slice(0, slash))) return;
      rest = rest.slice(slash + 1);
    }
  };
  const readDotted = () => {
    const [, region, first, last] = DOTTED.exec(rest) ?? [];
    const maker = first === undefined ? null : makerNamed(first);
    if (maker === null || last === undefined) return;
    calls('aws');
    if (region !== undefined) passes(region);
    passes(maker);
    rest = last;
  };

  for (let before = ''; before !== rest && path.length < MOST_SEGMENTS; ) {
    before = rest;
    readBeginning();
    readSegments();
    readDotted();
  }
  return { path, providers, model: rest };
}
