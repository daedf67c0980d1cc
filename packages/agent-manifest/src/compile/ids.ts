/** The ids of the documents that a manifest compiles to. */
import { CAPS, nameFault } from '@mandate/schemas/core';

const LONGEST_SLUG = 64;

/** Returns an id made from a name: letters without accents, in lower case, and digits. Null if no character remains. */
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

/** Returns the fault of a name of an agent, tool or model, in words that follow the name. Null: there is no fault. */
export function exactNameFault(text: string): string | null {
  if (text === '' || text === '.' || text === '..' || text === '__proto__') return 'is no name';
  if (text.includes('*')) return 'must not contain *: in a pattern it means any text';
  if (text.length > CAPS.idUnits) return `has more than ${CAPS.idUnits} characters: shorten it`;
  return nameFault(text);
}

/**
 * An `@` in the id of a policy would begin a version. Ids of agents and names of models may contain one:
 * `claude@20240620`.
 */
export function policyIdOf(agentId: string): string {
  return agentId.replaceAll('@', '%40');
}
