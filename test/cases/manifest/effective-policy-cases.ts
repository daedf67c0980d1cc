/**
 * The cases about the effective policy of a category. For each case, actions are made that this policy allows or
 * refuses.
 */
import type { Action } from '@mandate/schemas';
import { documentsOfCategories } from './category-decisions.ts';
import type { DecisionCase } from './decision-case.ts';
import type { ExpectedDecision } from './expected-decision.ts';
import { type CaseDocument, manifestCases } from './manifest-cases.ts';

type Effective = {
  readonly defaultTtl: number | null;
  readonly maxContentLength: number | null;
  readonly permissions: { readonly create: boolean; readonly update: boolean; readonly delete: boolean };
  readonly subcategoryCreation: boolean;
};
type Resolve = { readonly store: string; readonly path: string };
type Operation = Partial<Extract<Action, { type: 'memory_operation' }>>;
type Ask = { readonly operation: Operation; readonly expected: ExpectedDecision };

const NOW = '2026-03-01T12:00:00.000Z';
const DAY_MS = 86_400_000;
/** The longest content that a config can limit. */
const LONGEST = 10_000_000;

const ALLOWED: ExpectedDecision = { verdict: 'ALLOW', code: 'ALLOWED' };
const BLOCKED: ExpectedDecision = { verdict: 'BLOCK', hard: true };

type EffectiveCase = Resolve & {
  readonly id: string;
  readonly why: string;
  readonly config: CaseDocument;
  readonly effective: Effective;
};

export function effectiveCases(): EffectiveCase[] {
  const cases = manifestCases<
    { readonly config: CaseDocument },
    { readonly resolve?: Resolve },
    { readonly effective: Effective }
  >('s1-cases');
  return cases.flatMap(({ id, why, given: { config }, when: { resolve }, then: { effective } }) =>
    resolve === undefined ? [] : { id, why, config, ...resolve, effective },
  );
}

export function resolveCases(): DecisionCase[] {
  return effectiveCases().map(({ id, why, config, effective, ...resolve }) => {
    const asks = asksAbout(resolve.path, effective);
    return {
      ...{ id, why, now: NOW, documentsKey: JSON.stringify(config) },
      documents: () => documentsOfCategories(config),
      steps: asks.map(({ operation }, at) => ({ at: 0, ask: actionOf(at, resolve.store, operation) })),
      expected: asks.map(({ expected }) => expected),
    };
  });
}

function actionOf(at: number, store: string, operation: Operation): Action {
  return { id: `a${at}`, agentId: 'scribe', type: 'memory_operation', store, ...operation } as Action;
}

/**
 * If neither create nor update is permitted, every write is refused before its expiry and its length are checked. Then
 * no action is about these two fields.
 */
function asksAbout(path: string, effective: Effective): Ask[] {
  const { permissions } = effective;
  // No operation names the root. A category that is not in the config, directly below the root, has the root's policy.
  const category = path === '/' ? '/not-in-the-config' : path;
  const create: Operation = { operation: 'createMemory', category };
  const update: Operation = { operation: 'updateMemory', category, createdAt: NOW };
  const writes = [...(permissions.create ? [create] : []), ...(permissions.update ? [update] : [])];
  return [
    permitted({ ...create, contentLength: 0 }, permissions.create),
    permitted({ ...update, contentLength: 0 }, permissions.update),
    permitted({ operation: 'deleteMemory', category }, permissions.delete),
    making(path, effective),
    ...writes.map((write) => expiring(write, effective)),
    ...writes.flatMap((write) => lengthsOf(write, effective)),
  ];
}

function permitted(operation: Operation, isPermitted: boolean): Ask {
  return {
    operation,
    expected: isPermitted ? ALLOWED : { ...BLOCKED, code: 'OPERATION_NOT_PERMITTED' },
  };
}

/** A new category directly below the path, where everything above the new category exists. */
function making(path: string, { subcategoryCreation }: Effective): Ask {
  const names = path.split('/').filter((name) => name !== '');
  const existing = names.map((_, at) => `/${names.slice(0, at + 1).join('/')}`);
  return {
    operation: { operation: 'createCategory', path: `${existing.at(-1) ?? ''}/not-in-the-config`, existing },
    expected: subcategoryCreation ? ALLOWED : { ...BLOCKED, code: 'SUBCATEGORY_CREATION_NOT_ALLOWED' },
  };
}

function expiring(write: Operation, { defaultTtl }: Effective): Ask {
  const expiresAt =
    defaultTtl === null ? null : new Date(Date.parse(NOW) + defaultTtl * DAY_MS).toISOString();
  return {
    operation: { ...write, contentLength: 0 },
    expected: { ...ALLOWED, obligations: { expiresAt } },
  };
}

function lengthsOf(write: Operation, { maxContentLength }: Effective): Ask[] {
  const longest = { operation: { ...write, contentLength: maxContentLength ?? LONGEST }, expected: ALLOWED };
  if (maxContentLength === null) return [longest];
  const tooLong = { ...write, contentLength: maxContentLength + 1 };
  return [longest, { operation: tooLong, expected: { ...BLOCKED, code: 'CONTENT_TOO_LONG' } }];
}
