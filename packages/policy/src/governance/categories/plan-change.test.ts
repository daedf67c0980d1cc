import type { CategoryDocument } from '@mandate/schemas/manifest';
import { describe, expect, test } from 'vitest';
import { operationOf } from './arbitrary-operations.fixture.ts';
import { compileCategories, effectivePolicy } from './categories.ts';
import { planChange } from './plan-change.ts';

/** Makes a chain of categories called `a`, with the policies at its end. */
function chain(depth: number, end: CategoryDocument): CategoryDocument {
  let category = end;
  for (let level = 1; level < depth; level += 1) category = { subcategories: { a: category } };
  return category;
}

const protectedAt = (depth: number) => chain(depth, { policies: { permissions: { delete: false } } });

describe('hostile operations', () => {
  const categories = compileCategories({
    s: { categories: { constructor: { policies: { defaultTtl: 7 } }, a: protectedAt(30) } },
  });

  test.each(['__proto__', 'constructor', 'toString', 'S', ''])('no store is called "%s"', (store) => {
    const create = operationOf({ operation: 'createMemory', store, category: '/a', content: 'x' });
    expect(planChange(categories, create).refusal?.violation.code).toBe('STORE_NOT_ALLOWED');
    const move = operationOf({
      ...create,
      operation: 'moveMemory',
      store: 's',
      toStore: store,
      to: '/a',
      createdAt: '2026-03-01T12:00:00.000Z',
    });
    expect(planChange(categories, move).refusal?.violation.code).toBe('STORE_NOT_ALLOWED');
  });

  test('a category may be called like a field that objects inherit', () => {
    expect(effectivePolicy(categories, 's', '/constructor')?.defaultTtl).toEqual({
      value: 7,
      from: '/constructor',
    });
    expect(effectivePolicy(categories, 's', '/constructor/constructor')?.defaultTtl.value).toBe(7);
    expect(effectivePolicy(categories, 's', '/valueof')?.defaultTtl.value).toBeNull();
  });

  test('an origin is not read from what objects inherit', () => {
    const origins = JSON.parse('{ "__proto__": { "operation": "system" } }');
    const prune = operationOf({ operation: 'prune', store: 's', origins });
    expect(planChange(categories, prune).refusal?.violation.code).toBe('ORIGIN_NOT_ALLOWED');
  });

  test.each(['existing', 'createdAt', 'currentExpiresAt', 'contentLength'])(
    'a model does not say the fact "%s"',
    (fact) => {
      const move = operationOf({
        operation: 'moveMemory',
        store: 's',
        category: '/one',
        to: '/two',
        createdAt: '2026-03-01T12:00:00.000Z',
        currentExpiresAt: null,
        contentLength: 3,
        existing: ['/two'],
      });
      expect(planChange(categories, move).refusal).toBeNull();
      const { refusal } = planChange(categories, { ...move, origins: { [fact]: 'model' } });
      expect(refusal?.violation.code).toBe('ORIGIN_NOT_ALLOWED');
      expect(refusal?.evidence).toEqual({ field: fact, origin: 'model' });
      expect(planChange(categories, { ...move, origins: { [fact]: 'user' } }).refusal).toBeNull();
    },
  );

  test('the last of 30 categories below each other is protected from a delete of the first', () => {
    const path = `/${Array(30).fill('a').join('/')}`;
    const { refusal } = planChange(
      categories,
      operationOf({ operation: 'deleteCategory', store: 's', path: '/a' }),
    );
    expect(refusal?.violation.reason).toContain(`"${path}"`);
    const known = operationOf({
      operation: 'deleteCategory',
      store: 's',
      path: '/a',
      existing: ['/a', '/a/a'],
    });
    expect(planChange(categories, known).refusal).toBeNull();
  });

  test('one protected category of 10,000 is found, wherever it is', () => {
    const names = Array.from({ length: 10_000 }, (_, at) => `c${at}`);
    const large = compileCategories({
      s: {
        categories: {
          top: {
            subcategories: Object.fromEntries(
              names.map((name) => [name, name === 'c7654' ? protectedAt(1) : {}]),
            ),
          },
        },
      },
    });
    const all = operationOf({ operation: 'deleteCategory', store: 's', path: '/top' });
    expect(planChange(large, all).refusal?.evidence).toMatchObject({ category: '/top/c7654' });
    const existing = names.map((name) => `/top/${name}/below`);
    expect(planChange(large, { ...all, existing }).refusal?.evidence).toMatchObject({
      category: '/top/c7654/below',
    });
  });

  test('a long path makes each of its categories once', () => {
    const path = Array(100).fill('b').join('/');
    const create = operationOf({ operation: 'createCategory', store: 's', path });
    const { planned } = planChange(categories, create);
    expect(planned?.creates?.length).toBe(100);
    expect(planned?.creates?.at(-1)).toBe(`/${path}`);
  });
});

describe('words of a refusal', () => {
  const SECRET = 'Mia lives in Kyoto.';
  const categories = compileCategories({
    s: {
      policies: { maxContentLength: 5 },
      categories: { fixed: { policies: { permissions: { update: false } } } },
    },
  });

  test('a refusal quotes neither a content nor a description', () => {
    const refused = [
      operationOf({ operation: 'createMemory', store: 's', category: '/a', content: SECRET }),
      operationOf({ operation: 'setDescription', store: 's', path: '/fixed', description: SECRET }),
      operationOf({ operation: 'setDescription', store: 's', path: '/a', description: SECRET.repeat(30) }),
    ].map((operation) => planChange(categories, operation).refusal);
    expect(refused.map((refusal) => refusal?.violation.code)).toEqual([
      'CONTENT_TOO_LONG',
      'OPERATION_NOT_PERMITTED',
      'CONTENT_TOO_LONG',
    ]);
    expect(JSON.stringify(refused)).not.toContain('Kyoto');
  });

  test('a refusal names the category whose policy says so', () => {
    const create = operationOf({ operation: 'createMemory', store: 's', category: '/a/b', contentLength: 6 });
    const { violation } = planChange(categories, create).refusal ?? {};
    expect(violation?.reason).toContain('"/a/b" has 6 characters; 5 are allowed');
    expect(violation?.remedy).toContain('maxContentLength of "/"');
  });
});
