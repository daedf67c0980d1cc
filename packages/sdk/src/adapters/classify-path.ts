/**
 * Classifies the calls of a provider's API: a call is decided, passes without a decision, or is refused. A path that is not
 * listed is refused, because it may cost money.
 */
import { MandateBlockedError } from '../errors.ts';

/** The paths of an API, without a query. */
export type ApiPaths<Kind> = {
  /** Calls of a model that are billed by tokens. */
  decided: ReadonlyMap<string, Kind>;
  /** Free changes: the provider does not bill them. `*` is one segment of a path, `**` is one or more. */
  free: readonly string[];
};

export type PathClass<Kind> = { class: 'decided'; kind: Kind } | { class: 'free' } | { class: 'refused' };

/** Methods that change nothing, or only delete something. */
const HARMLESS = new Set(['GET', 'HEAD', 'OPTIONS', 'DELETE']);

export function isHarmless(method: string | undefined): boolean {
  return HARMLESS.has((method ?? 'GET').toUpperCase());
}

const SEGMENT = '[\\w-]+';
const SEGMENTS = '[\\w/-]+';

/** @param ungoverned patterns of paths that the caller lets pass without a decision. A star is any part of a path. */
export function classifyPath<Kind>(
  { decided, free }: ApiPaths<Kind>,
  { method, path }: { method: string | undefined; path: string },
  ungoverned: readonly string[] = [],
): PathClass<Kind> {
  if (isHarmless(method)) return { class: 'free' };
  const kind = method?.toUpperCase() === 'POST' ? decided.get(path) : undefined;
  if (kind !== undefined) return { class: 'decided', kind };
  const isFree = free.some((pattern) => matches(pattern, path, SEGMENT));
  const isLetThrough = ungoverned.some((pattern) => matches(pattern, path, SEGMENTS));
  return { class: isFree || isLetThrough ? 'free' : 'refused' };
}

function matches(pattern: string, path: string, star: string): boolean {
  const source = pattern
    .replace(/[\\^$.|?+()[\]{}]/g, '\\$&')
    .replace(/\*+/g, (stars) => (stars === '*' ? star : SEGMENTS));
  return new RegExp(`^${source}$`).test(path);
}

/** @param remedy what the caller can use instead, as a sentence */
export function ungovernedCall(agentId: string, path: string, remedy: string): MandateBlockedError {
  return new MandateBlockedError('UNGOVERNED_CALL', {
    reason: `The call of ${path} may cost money, and the SDK cannot decide it.`,
    remedy: `${remedy} The operator can list the path in \`ungoverned\`.`,
    action: { id: '', agentId, type: 'llm_call', model: '' },
    decision: null,
  });
}
