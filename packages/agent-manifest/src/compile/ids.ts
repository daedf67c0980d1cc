/** The ids of what a manifest compiles to. */
import { CAPS, nameFault } from '@mandate/schemas/core';

const LONGEST_SLUG = 64;

/** Returns an id made from a name: letters without accents, in lower case, and digits. Null if none is left. */
export function slugOf(name: string): string | null {
  const slug = name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, LONGEST_SLUG)
    .replace(/-$/, '');
  return slug === '' ? null : slug;
}

/** Returns what is wrong with a name of one agent, tool or model, in words that follow the name. Null: nothing. */
export function exactNameFault(text: string): string | null {
  if (text === '' || text === '.' || text === '..' || text === '__proto__') return 'is no name';
  if (text.includes('*')) return 'must not contain *: in a pattern it means any text';
  if (text.length > CAPS.idUnits) return `has more than ${CAPS.idUnits} characters: shorten it`;
  return nameFault(text);
}

/** An `@` in the id of a policy would begin a version. Agents and models may have one: `claude@20240620`. */
export function policyIdOf(agentId: string): string {
  return agentId.replaceAll('@', '%40');
}
