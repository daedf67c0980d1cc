/**
 * Which calls of OpenAI's API are decided, pass, or are refused. Everything that is not listed is refused, because a
 * call that costs money and is not decided would be a hole in the mandate.
 */

/** The shape of a reply: where its usage and its text are. */
export type ReplyKind = 'chat' | 'completions' | 'responses' | 'embeddings';

export type PathClass = { class: 'decided'; kind: ReplyKind } | { class: 'free' } | { class: 'refused' };

/** Calls of a model that are billed by tokens. */
const DECIDED: ReadonlyMap<string, ReplyKind> = new Map([
  ['/chat/completions', 'chat'],
  ['/completions', 'completions'],
  ['/responses', 'responses'],
  ['/responses/compact', 'responses'],
  ['/decisions', 'responses'],
  ['/embeddings', 'embeddings'],
]);

/** Changes that OpenAI does not bill. A star is one segment of a path. */
const FREE = [
  '/assistants',
  '/assistants/*',
  '/batches/*/cancel',
  '/chat/completions/*',
  '/conversations',
  '/conversations/*',
  '/conversations/*/items',
  '/files',
  '/fine_tuning/jobs/*/cancel',
  '/fine_tuning/jobs/*/pause',
  '/live/sessions/*/hangup',
  '/moderations',
  '/realtime/calls/*/hangup',
  '/realtime/calls/*/reject',
  '/responses/*/cancel',
  '/responses/input_tokens',
  '/threads',
  '/threads/*',
  '/threads/*/messages',
  '/threads/*/messages/*',
  '/threads/*/runs/*/cancel',
  '/uploads',
  '/uploads/*/cancel',
  '/uploads/*/complete',
  '/uploads/*/parts',
];

/** Methods that change nothing, or only remove. */
const HARMLESS = new Set(['GET', 'HEAD', 'OPTIONS', 'DELETE']);

export function isHarmless(method: string | undefined): boolean {
  return HARMLESS.has((method ?? 'GET').toUpperCase());
}

/**
 * @param path the path as the SDK states it, without the base URL, perhaps with a query
 * @param ungoverned patterns of paths that the caller lets through. A star is any part of a path.
 */
export function classifyPath(method: string, path: string, ungoverned: readonly string[]): PathClass {
  if (isHarmless(method)) return { class: 'free' };
  const plain = path.split('?', 1)[0] ?? '';
  const kind = method.toUpperCase() === 'POST' ? DECIDED.get(plain) : undefined;
  if (kind !== undefined) return { class: 'decided', kind };
  const isFree = FREE.some((pattern) => matches(pattern, plain, '[\\w-]+'));
  const isLetThrough = ungoverned.some((pattern) => matches(pattern, plain, '[\\w/-]+'));
  return { class: isFree || isLetThrough ? 'free' : 'refused' };
}

function matches(pattern: string, path: string, star: string): boolean {
  const parts = pattern.split('*').map((part) => part.replace(/[\\^$.|?+()[\]{}]/g, '\\$&'));
  return new RegExp(`^${parts.join(star)}$`).test(path);
}
