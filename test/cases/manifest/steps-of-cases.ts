import { type CaseDocument, manifestCases } from './manifest-cases.ts';

type GivenDocuments = {
  readonly manifest: CaseDocument;
  readonly policy: CaseDocument;
  readonly environment?: string;
  readonly manifestPatch?: unknown;
  readonly policyPatch?: unknown;
  readonly now: string;
};
type Answer = { readonly code?: string; readonly obligations?: object };
type Ask = { readonly type: string; readonly agentId: string };
export type CaseStep<A extends Ask, T extends Answer> = {
  readonly name: string;
  readonly topic: string;
  readonly given: GivenDocuments;
  readonly at: number;
  readonly ask: A;
  readonly answer: T;
};

/** Returns all actions of one type that the cases of manifests and policies ask about, with their answers. */
export function stepsOfCases<A extends Ask, T extends Answer>(type: string): CaseStep<A, T>[] {
  return manifestCases<GivenDocuments, unknown, unknown>('s0-cases').flatMap(
    ({ id, topic, why, given, when, then }) => {
      if (!Array.isArray(when) || !Array.isArray(then)) return [];
      return when.flatMap((step: { at: number; ask?: A }, index) =>
        step.ask?.type === type
          ? [
              {
                name: `${id}, step ${index + 1}: ${why}`,
                topic,
                given,
                at: step.at,
                ask: step.ask,
                answer: then[index],
              },
            ]
          : [],
      );
    },
  );
}
