/**
 * What a good document probably does not mean: patterns with signs that mean nothing, entries that stand there twice,
 * limits under names that nothing confirms, names that look alike. Its reader warns of them.
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

/** How many doubts of one document are reported, and how many of its entries are looked at. */
const MOST_DOUBTS = 20;
const MOST_ENTRIES = 5_000;

/** Fields that choose names by patterns, in whichever document. */
const OF_PATTERNS = /^(?:agents|(?:allowed|denied|delegable)[A-Z]\w*)$/;
const OF_NAMES = /^(?:tools|groups)$/;

type Entry = { field: string; at: number; text: string };

/** @param document a policy, a mandate, bounds of a tenant, a rule, an agent */
export function listDoubts(document: object): readonly Doubt[] {
  const entries = entriesOf(document);
  const names = 'toolPolicies' in document ? Object.keys(document.toolPolicies ?? {}) : [];
  const beside = [...names, ...entries.map(({ text }) => text)];
  const doubtful = entries
    .filter(({ field }) => OF_PATTERNS.test(field))
    .flatMap(({ field, at, text }): Doubt[] => {
      const message = patternDoubt(text, beside);
      if (message === null) return [];
      const remedy = 'Write the pattern that you mean. A name may hold such a sign: then leave it.';
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
    const message = `"${text}" stands in this list already, as entry ${known + 1}`;
    return [{ code: 'ENTRY_REPEATED', path: [field, at], message, remedy: 'Take one of them out.' }];
  });
}

type Policy = Pick<
  PolicyDocument,
  'tools' | 'allowedTools' | 'deniedTools' | 'delegableTools' | 'toolPolicies' | 'maxActualCost'
>;

/** What a document says of one policy alone. */
export function policyDoubts(document: Policy, known: ReadonlySet<string>): readonly Doubt[] {
  return [...toolNameDoubts(document, known), ...costDoubts(document)];
}

/** A price above the cap of actual costs: each report that tells the price is quarantined in part. */
function costDoubts({ toolPolicies = {}, maxActualCost }: Policy): readonly Doubt[] {
  return Object.entries(toolPolicies)
    .flatMap(([tool, { cost = 0, maxActualCost: ofTool }]): Doubt[] => {
      const cap = ofTool ?? maxActualCost;
      if (cap === undefined || cap >= cost) return [];
      return [
        {
          code: 'CAP_BELOW_PRICE',
          path: ofTool === undefined ? ['maxActualCost'] : ['toolPolicies', tool, 'maxActualCost'],
          message: `a call of "${tool}" costs $${cost}, and of an actual cost at most $${cap} is charged: the rest of each true report is quarantined`,
          remedy: 'Raise the cap to the price at least, or lower the price.',
        },
      ];
    })
    .slice(0, MOST_DOUBTS);
}

/** @param known tools that documents beside it declare */
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
      message: `nothing else names ${told.join(', ')}${more}: a limit under a misspelt name limits nothing${advice}`,
      remedy: 'Check the spelling, and declare the tools that there are under `tools`: then it is checked.',
    },
  ];
}

const MOST_NAMES = 5;
const STEPS_OF_ADVICE = 200_000;

/** A document of several; `of` is how a message names it after a field, as in ` of "read-only"`. */
type OneOf = { document: Policy; of: string };

/**
 * Names of tools that look alike, once tools are declared: a person who reads the documents takes them for one.
 *
 * @returns each with the documents that have these names, and the place of the last name in the last of them
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
        message: `${said.join(' and ')} look alike, and are different tools`,
        remedy:
          'Check that each is written as the tool is called: names are compared code point by code point.',
        // In a set what comes first stays first: the last document is to stay the last.
        within: [...new Set(found.map(({ within }) => within).reverse())].reverse(),
      };
    });
}

/** Exact names of tools in a document, each with its place. */
function* namesIn(document: Policy): Generator<[name: string, path: Doubt['path']]> {
  for (const field of ['tools', 'allowedTools', 'deniedTools', 'delegableTools'] as const) {
    for (const [at, name] of (document[field] ?? []).slice(0, MOST_ENTRIES).entries())
      if (!name.includes('*')) yield [name, [field, at]];
  }
  for (const name of Object.keys(document.toolPolicies ?? {})) yield [name, ['toolPolicies', name]];
}
