/**
 * Finds doubts about a valid document, which Mandate reports as warnings: patterns with signs that have no special
 * meaning, repeated entries, limits on names that occur nowhere else, names that look alike.
 */

import type { PolicyDocument } from '@mandate/schemas';
import { nearestName, patternDoubt } from '@mandate/schemas/core';
import { unconfirmedNames } from '../mandate/tool-names.ts';
import { lookAlikes } from './look-alikes.ts';

export type Doubt = {
  code: 'PATTERN_DOUBTFUL' | 'ENTRY_REPEATED' | 'TOOL_NAMES_UNCONFIRMED' | 'NAMES_ALIKE' | 'CAP_BELOW_PRICE';
  path: readonly (string | number)[];
  message: string;
  remedy: string;
};

/** The most doubts that are reported for one document. */
const MOST_DOUBTS = 20;
const MOST_ENTRIES = 5_000;

/** Names of fields that contain patterns, in any document. */
const OF_PATTERNS = /^(?:agents|(?:allowed|denied|delegable)[A-Z]\w*)$/;
const OF_NAMES = /^(?:tools|groups)$/;

type Entry = { field: string; at: number; text: string };

/** @param document a policy, a mandate, the limits of a tenant, a rule or an agent */
export function listDoubts(document: object): readonly Doubt[] {
  const entries = entriesOf(document);
  const names = 'toolPolicies' in document ? Object.keys(document.toolPolicies ?? {}) : [];
  const beside = [...names, ...entries.map(({ text }) => text)];
  const doubtful = entries
    .filter(({ field }) => OF_PATTERNS.test(field))
    .flatMap(({ field, at, text }): Doubt[] => {
      const message = patternDoubt(text, beside);
      if (message === null) return [];
      const remedy =
        'Write the pattern that you mean. If the name really contains this character, change nothing.';
      return [{ code: 'PATTERN_DOUBTFUL', path: [field, at], message, remedy }];
    });
  return [...doubtful, ...repeated(entries)].slice(0, MOST_DOUBTS);
}

function entriesOf(document: object): readonly Entry[] {
  const lists = Object.entries(document).filter(
    ([field, list]) => (OF_PATTERNS.test(field) || OF_NAMES.test(field)) && Array.isArray(list),
  );
  return lists
    .flatMap(([field, list]: [string, readonly string[]]) => list.map((text, at) => ({ field, at, text })))
    .slice(0, MOST_ENTRIES);
}

function repeated(entries: readonly Entry[]): readonly Doubt[] {
  const first = new Map<string, number>();
  return entries.flatMap(({ field, at, text }): Doubt[] => {
    const known = first.get(`${field} ${text}`);
    if (known === undefined) first.set(`${field} ${text}`, at);
    if (known === undefined) return [];
    const message = `"${text}" is already in this list, as entry ${known + 1}`;
    return [{ code: 'ENTRY_REPEATED', path: [field, at], message, remedy: 'Remove one of them.' }];
  });
}

type Policy = Pick<
  PolicyDocument,
  'tools' | 'allowedTools' | 'deniedTools' | 'delegableTools' | 'toolPolicies' | 'maxActualCost'
>;

/** Returns the doubts about one policy, without regard to other documents. */
export function policyDoubts(document: Policy, known: ReadonlySet<string>): readonly Doubt[] {
  return [...toolNameDoubts(document, known), ...costDoubts(document)];
}

/**
 * Finds a price that is above the cap of actual costs. If an outcome reports this price, only the agent's own budgets
 * are charged with the amount above the cap, until a person decides.
 */
function costDoubts({ toolPolicies = {}, maxActualCost }: Policy): readonly Doubt[] {
  return Object.entries(toolPolicies)
    .flatMap(([tool, { cost = 0, maxActualCost: ofTool }]): Doubt[] => {
      const cap = ofTool ?? maxActualCost;
      if (cap === undefined || cap >= cost) return [];
      return [
        {
          code: 'CAP_BELOW_PRICE',
          path: ofTool === undefined ? ['maxActualCost'] : ['toolPolicies', tool, 'maxActualCost'],
          message: `a call of "${tool}" costs $${cost}, but at most $${cap} of an actual cost is charged: the rest of each true report is quarantined`,
          remedy: 'Raise the cap to the price or above it, or lower the price.',
        },
      ];
    })
    .slice(0, MOST_DOUBTS);
}

/** @param known the tools that other documents of the same file or tenant declare */
function toolNameDoubts(document: Policy, known: ReadonlySet<string>): readonly Doubt[] {
  const names = unconfirmedNames(document).filter((name) => !known.has(name));
  const [first] = names;
  if (first === undefined) return [];
  const told = names.slice(0, MOST_NAMES).map((name) => `"${name}"`);
  const more = names.length > told.length ? ` and ${names.length - told.length} more` : '';
  const meant = nearestName(first, known, STEPS_OF_ADVICE);
  const advice = meant === undefined ? '' : `; did you mean "${meant}" by "${first}"?`;
  return [
    {
      code: 'TOOL_NAMES_UNCONFIRMED',
      path: ['toolPolicies', first],
      message: `nothing else names ${told.join(', ')}${more}: a limit with a misspelt name has no effect${advice}`,
      remedy: 'Check the spelling. If you declare all tools under `tools`, names are checked.',
    },
  ];
}

const MOST_NAMES = 5;
const STEPS_OF_ADVICE = 200_000;

/**
 * One of several documents. `of` names the document in messages, after the name of a field, as in ` of "read-only"`.
 */
type OneOf = { document: Policy; of: string };

/**
 * Finds names of tools that look alike, if any document declares tools. A person could mistake one name for another.
 *
 * @returns each doubt with the documents that contain the names, and the path of the last name in the last document
 */
export function alikeTools<Named extends OneOf>(
  documents: readonly Named[],
): readonly (Doubt & { within: readonly Named[] })[] {
  if (documents.every(({ document }) => document.tools === undefined)) return [];
  const places = new Map<string, { path: Doubt['path']; within: Named }>();
  for (const within of documents) {
    for (const [name, path] of namesIn(within.document))
      if (!places.has(name)) places.set(name, { path, within });
  }
  return lookAlikes(places.keys())
    .slice(0, MOST_DOUBTS)
    .map((alike) => {
      const found = alike.flatMap((name) => {
        const place = places.get(name);
        return place === undefined ? [] : [{ name, ...place }];
      });
      const said = found.map(({ name, path, within }) => `"${name}" (${String(path[0])}${within.of})`);
      return {
        code: 'NAMES_ALIKE',
        path: found.at(-1)?.path ?? [],
        message: `${said.join(' and ')} look alike but are different tools`,
        remedy:
          'Check that each name is written as the tool is called. Names are compared by their Unicode code points.',
        // Removes repeated documents and keeps the last occurrence of each, because the last document must stay last.
        // A Set keeps the first occurrence, so the list is reversed before and after.
        within: [...new Set(found.map(({ within }) => within).reverse())].reverse(),
      };
    });
}

/** Yields the tool names without stars in a document, each with its path. */
function* namesIn(document: Policy): Generator<[name: string, path: Doubt['path']]> {
  for (const field of ['tools', 'allowedTools', 'deniedTools', 'delegableTools'] as const) {
    for (const [at, name] of (document[field] ?? []).slice(0, MOST_ENTRIES).entries())
      if (!name.includes('*')) yield [name, [field, at]];
  }
  for (const name of Object.keys(document.toolPolicies ?? {})) yield [name, ['toolPolicies', name]];
}
