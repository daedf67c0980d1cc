/** The cases of manifests that a plane can run: decisions, actions as they are published, and manifests that load. */
import { compileManifest } from '@mandate/manifest';
import type { Action } from '@mandate/schemas';
import type { DecisionCase, Documents } from './decision-case.ts';
import type { ExpectedDecision } from './expected-decision.ts';
import { manifestCases } from './manifest-cases.ts';
import { type GivenManifest, loadedOf, type ManifestStep } from './play-manifest.ts';

export function manifestDecisionCases(): DecisionCase[] {
  const cases = manifestCases<GivenManifest, readonly ManifestStep[], readonly (ExpectedDecision | null)[]>(
    's0-cases',
  );
  return cases
    .filter(({ when }) => Array.isArray(when))
    .map(({ id, why, given, when, then }) => ({
      ...{ id, why, ...documentsOf(given), now: given.now, steps: when },
      expected: DECIDED_OTHERWISE.get(id)?.(then) ?? then,
      asksPerson: then.some((answer) => answer?.verdict === 'DEFER'),
    }));
}

const compiled = new Map<string, Documents>();

/** Returns the documents of a manifest with their key. They are compiled once, because many cases have the same. */
export function documentsOf(given: GivenManifest): Pick<DecisionCase, 'documents' | 'documentsKey'> {
  const { now: _, ...sources } = given;
  const documentsKey = JSON.stringify(sources);
  const documents = () => {
    const known = compiled.get(documentsKey) ?? compileManifest(loadedOf(given));
    compiled.set(documentsKey, known);
    return known;
  };
  return { documentsKey, documents };
}

/**
 * Cases that are decided otherwise here, on purpose. `s0-confirmation-007` expects that a question to a person takes
 * no call of a rate. Here it takes one (ADR 41), because an agent could otherwise ask people more often than the rate
 * allows. The rate of the tool is 5 calls a day.
 */
const DECIDED_OTHERWISE = new Map<string, (then: readonly (ExpectedDecision | null)[]) => ExpectedDecision[]>(
  [
    [
      's0-confirmation-007',
      (then) =>
        then.map((expected, at) => ({
          ...expected,
          ...(at >= 5 && {
            ...{ verdict: 'BLOCK', code: 'RATE_LIMIT_EXCEEDED', events: ['rate_limit_exceeded'] },
          }),
        })),
    ],
  ],
);

/** Returns the documents of every manifest that a case loads without errors. */
export function acceptedManifests(): Documents[] {
  return manifestCases<GivenManifest, { load?: true }, { ok?: boolean }>('s0-cases').flatMap(
    ({ given, when, then }) => (when.load && then.ok ? documentsOf(given).documents() : []),
  );
}

/** The cases about an action as it is published: with redacted and hashed fields. */
export function publishedCases(): {
  id: string;
  why: string;
  given: GivenManifest;
  action: Action;
  hashKey: string;
  expected: Action;
}[] {
  const cases = manifestCases<GivenManifest, { publish?: Action; hashKey: string }, { action: Action }>(
    's0-cases',
  );
  return cases.flatMap(({ id, why, given, when: { publish, hashKey }, then }) =>
    publish ? [{ id, why, given, action: publish, hashKey, expected: then.action }] : [],
  );
}
