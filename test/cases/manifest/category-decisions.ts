/** The cases of categories of memories that a plane can run: decisions, refused requests, and configs that load. */
import { compileCategories, loadCategories } from '@mandate/manifest';
import type { Action } from '@mandate/schemas';
import type { DecisionCase, Documents } from './decision-case.ts';
import type { ExpectedDecision } from './expected-decision.ts';
import { type CaseDocument, manifestCases, textOf } from './manifest-cases.ts';

type GivenCategories = { readonly config: CaseDocument; readonly now: string };
type AskedOfCategories = { readonly ask?: Action };

/** The request is refused before it is decided: the code, and the path of the field. */
export type RefusedRequest = { readonly code: 'INVALID_ACTION'; readonly path: string };

type AnswerOfCategories = ExpectedDecision | RefusedRequest;

/** Returns the cases of categories that ask for a decision, and the cases with a request that nobody decides. */
export function categoryCases(): {
  decided: DecisionCase[];
  refused: (Pick<DecisionCase, 'id' | 'why' | 'documents'> & { ask: Action; expected: RefusedRequest })[];
} {
  const all = (['s1-cases', 'cortex-shared'] as const).flatMap((name) =>
    manifestCases<GivenCategories, AskedOfCategories, AnswerOfCategories>(name),
  );
  const asked = all.flatMap(({ when: { ask }, ...one }) => (ask ? [{ ...one, ask }] : []));
  return {
    decided: asked.flatMap(({ id, why, given: { config, now }, ask, then }) =>
      isRefused(then)
        ? []
        : {
            ...{ id, why, now, expected: [then], steps: [{ at: 0, ask }] },
            documentsKey: JSON.stringify(config),
            documents: () => documentsOfCategories(config),
          },
    ),
    refused: asked.flatMap(({ id, why, ask, then, given: { config } }) =>
      isRefused(then) ? { id, why, ask, expected: then, documents: () => documentsOfCategories(config) } : [],
    ),
  };
}

function isRefused(then: AnswerOfCategories): then is RefusedRequest {
  return 'path' in then;
}

/** Returns the documents of every config that a case loads without errors. */
export function acceptedConfigs(): Documents[] {
  return manifestCases<GivenCategories, { load?: true }, { ok?: boolean }>('s1-cases').flatMap(
    ({ given: { config }, when, then }) => (when.load && then.ok ? documentsOfCategories(config) : []),
  );
}

/** Returns the section `governance.categories` of a config. */
export function sectionOf(config: CaseDocument): ReturnType<typeof compileCategories> {
  const loaded = loadCategories(textOf(config));
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.errors));
  return compileCategories(loaded.categories);
}

/** Returns documents that hold the agent of the cases to the categories of a config. */
export function documentsOfCategories(config: CaseDocument): Documents {
  return {
    agents: [{ id: 'scribe' }],
    policies: [{ version: 1, id: 'memories', governance: { categories: sectionOf(config) } }],
    rules: [{ version: 1, id: 'memories', policy: 'memories', agents: ['scribe'] }],
  };
}
