/** Removes from a list of the server everything that the policies do not allow. All other bytes stay unchanged. */
import { elementsOf, membersOf, replaceSpans, type TextSpan } from '@mandate/schemas/json-spans';
import { fieldsOf } from '../messages/fields-of.ts';
import type { Response } from '../messages/read-message.ts';
import type { Caller } from './settings.ts';

type ListMethod = 'tools/list' | 'resources/list' | 'resources/templates/list' | 'prompts/list';

/** For each method: the key of its list, and the tool name that an element has in a policy. */
const LISTS: Readonly<
  Record<ListMethod, { key: string; asked(element: unknown, prefix: string): Asked | null }>
> = {
  'tools/list': {
    key: 'tools',
    asked: (element, prefix) => named(element, 'name', (name) => ({ tool: prefix + name })),
  },
  'resources/list': {
    key: 'resources',
    asked: (element, prefix) =>
      named(element, 'uri', (uri) => ({ tool: `${prefix}resources/read`, args: { uri } })),
  },
  'resources/templates/list': {
    key: 'resourceTemplates',
    asked: (element, prefix) => named(element, 'uriTemplate', () => ({ tool: `${prefix}resources/read` })),
  },
  'prompts/list': {
    key: 'prompts',
    asked: (element, prefix) => named(element, 'name', () => ({ tool: `${prefix}prompts/get` })),
  },
};

type Asked = { tool: string; args?: Readonly<Record<string, unknown>> };

type Filter = {
  mayUse: Caller['permits'];
  prefix: string;
  /** The tools with a definition that differs from the pinned one. */
  changed: ReadonlySet<string>;
};

/** The maximum time for which a client may cache a list, because policies change. */
const MOST_TTL_MS = 60_000;

export function isList(method: string): method is ListMethod {
  return Object.hasOwn(LISTS, method);
}

/**
 * Returns the message with only the elements that the caller may use. An element without a name is left out. The page
 * cursor stays, and a page may become empty.
 *
 * @throws if the plane cannot say what is permitted
 */
export async function filterList(
  method: ListMethod,
  response: Response,
  { mayUse, prefix, changed }: Filter,
): Promise<string> {
  const { text, result } = response;
  if (result === null) return text;
  const { key, asked } = LISTS[method];
  const members = membersOf(text, result.span.start) ?? [];
  const lists = members.filter((one) => one.key.toLowerCase() === key.toLowerCase());
  const [list] = lists;
  if (list === undefined) return text;
  if (lists.length > 1 || list.key !== key)
    throw new Error(`The answer of the server has no single "${key}".`);
  const spans = elementsOf(text, list.start) ?? [];
  const elements = fieldsOf(result.value)[key];
  const listed: readonly unknown[] = Array.isArray(elements) ? elements : [];
  const questions = listed.map((element) => asked(element, prefix));
  const known = questions.filter((question) => question !== null);
  const answers = known.length === 0 ? [] : await mayUse(known);
  const permitted = new Map(known.map((question, at) => [question, answers[at] !== false]));
  const kept = spans.filter((_span, at) => {
    const question = questions[at];
    const isChanged = method === 'tools/list' && changed.has(String(fieldsOf(listed[at]).name));
    return question !== undefined && question !== null && permitted.get(question) === true && !isChanged;
  });
  const edits = kept.length === spans.length ? [] : [{ ...list, by: `[${textsOf(text, kept).join(',')}]` }];
  return replaceSpans(text, [...edits, ...privateCache(text, members)]);
}

function named(element: unknown, key: string, asked: (name: string) => Asked): Asked | null {
  const name = fieldsOf(element)[key];
  return typeof name === 'string' ? asked(name) : null;
}

function textsOf(text: string, spans: readonly TextSpan[]): string[] {
  return spans.map(({ start, end }) => text.slice(start, end));
}

/** A filtered list is for one agent only. So a cache must not give it to another one, or keep it for long. */
function privateCache(text: string, members: readonly (TextSpan & { key: string })[]) {
  return members.flatMap(({ key, start, end }) => {
    if (key === 'cacheScope') return [{ start, end, by: '"private"' }];
    const ttlMs = key === 'ttlMs' ? Number(text.slice(start, end)) : 0;
    return ttlMs > MOST_TTL_MS ? [{ start, end, by: String(MOST_TTL_MS) }] : [];
  });
}
