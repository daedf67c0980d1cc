/** The requests that the proxy decides, and the tool call that each of them is. */
import { readJson } from '@mandate/schemas';
import { foldedKey } from '@mandate/schemas/json-spans';
import { ambiguousKey, type Notification, type Request } from '../messages/read-message.ts';

export type GovernedMethod = 'tools/call' | 'resources/read' | 'prompts/get';

/** A request as an action. `args`: the arguments that the policy checks and that are recorded. */
export type Subject = { tool: string; args: Readonly<Record<string, unknown>> };

type Read = { ok: true; subject: Subject } | { ok: false; why: string };

const GOVERNED: ReadonlySet<string> = new Set<GovernedMethod>([
  'tools/call',
  'resources/read',
  'prompts/get',
]);

export function isGoverned(method: string): method is GovernedMethod {
  return GOVERNED.has(method);
}

/**
 * Returns why a message may not pass although its method is not governed, or null. Some servers run a call that has no
 * id, and some ignore the case of a method or the blanks around it.
 */
export function disguiseFault({ kind, method }: Request | Notification): string | null {
  const meant = foldedKey(method).trim();
  if (!isGoverned(meant)) return null;
  if (meant !== method) return `The method "${method}" looks like "${meant}". Write "${meant}".`;
  return kind === 'notification' ? `A message with the method "${method}" needs an id.` : null;
}

/** The keys of parameters that name a call. */
const KEYS = ['name', 'arguments', 'uri', '_meta', 'task', 'requeststate', 'inputresponses'];
/** In the protocol, the names of these keys contain capital letters. */
const WITH_CAPITALS: ReadonlySet<string> = new Set(['requestState', 'inputResponses']);

/** The tool names that reads of resources and uses of prompts have in a policy. */
const OF_OTHERS: ReadonlySet<string> = new Set(['resources/read', 'prompts/get']);

const CAPS = { depth: 64, keys: 100_000, elements: 1_000_000, stringUnits: 64 * 1024 * 1024 };

/**
 * Returns the action of a request. The arguments are read strictly: two equal keys, or a number that JavaScript would
 * round, could mean something else to the server.
 *
 * @param prefix is put before each name, so that tools of several servers have different names in a policy
 */
export function subjectOf(
  { text, method, params }: Request & { method: GovernedMethod },
  prefix: string,
): Read {
  const members = params.members.map((one) =>
    WITH_CAPITALS.has(one.key) ? { ...one, key: one.key.toLowerCase() } : one,
  );
  const ambiguous = ambiguousKey(members, KEYS);
  if (ambiguous !== null) return { ok: false, why: ambiguous };
  const strict = (key: string) => {
    const member = params.members.find((one) => one.key === key);
    return member === undefined ? undefined : readJson(text.slice(member.start, member.end), CAPS);
  };
  try {
    if (method === 'resources/read') {
      const uri = strict('uri');
      if (typeof uri !== 'string') return { ok: false, why: 'The uri is no text.' };
      return { ok: true, subject: { tool: `${prefix}resources/read`, args: { uri } } };
    }
    const { name } = params.value;
    if (typeof name !== 'string' || name === '') return { ok: false, why: 'The name is no text.' };
    const args = strict('arguments') ?? {};
    if (typeof args !== 'object' || args === null || Array.isArray(args))
      return { ok: false, why: 'The arguments are no object.' };
    // A policy could not distinguish such a tool from the other action.
    if (method === 'tools/call')
      return OF_OTHERS.has(name)
        ? { ok: false, why: `A tool cannot have the name "${name}", because another action has it.` }
        : { ok: true, subject: { tool: prefix + name, args: args as Subject['args'] } };
    return { ok: true, subject: { tool: `${prefix}prompts/get`, args: { name, arguments: args } } };
  } catch (error) {
    return {
      ok: false,
      why: `The arguments cannot be read: ${error instanceof Error ? error.message : error}.`,
    };
  }
}
