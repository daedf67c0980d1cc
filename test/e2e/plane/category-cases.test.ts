/**
 * Runs the cases of categories of memories through a whole plane: the documents come over the control API, the actions
 * over HTTP, and the decisions are read back from ClickHouse.
 */
import { type ApiClient, ApiError } from '@mandate/client';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  acceptedConfigs,
  categoryCases,
  documentsOfCategories,
} from '../../cases/manifest/category-decisions.ts';
import { effectiveCases, resolveCases } from '../../cases/manifest/effective-policy-cases.ts';
import { expectLaws } from '../../faults/support/expect-laws.ts';
import {
  expectAsOffline,
  expectAsPreviewed,
  expectAsStated,
  expectShownByApi,
} from '../support/expect-played.ts';
import { playedBeforeAll } from '../support/play-cases.ts';

const { decided, refused } = categoryCases();
const resolved = resolveCases();
const CASES = [...decided, ...resolved];

const played = playedBeforeAll(CASES);

describe('decisions under categories of memories', () => {
  test.each(CASES)('$id: $why', async (one) => {
    expectAsStated(one, played.of(one));
    await expectAsOffline(one, played.of(one));
    await expectAsPreviewed(played.of(one));
  });

  test('the audit shows a decision of each kind and code by its id', () => expectShownByApi(played.all()));

  test('log, ledger and audit agree, and every law of a plane holds', async () => {
    expectLaws(await played.plane().reconcile());
  });
});

describe('requests that are refused', () => {
  let api: ApiClient;
  beforeAll(async () => {
    const [first] = refused;
    if (first === undefined) throw new Error('no case has such a request');
    [api] = (await played.plane().tenantsUnder([first.documents()])) as [ApiClient];
  });

  test.each(refused)('$id: $why', async ({ ask, expected }) => {
    const error = await api.post('/v1/actions', ask, { query: { waitMs: 20_000 } }).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(ApiError);
    const { code, faults } = error as ApiError;
    const path = faults[0]?.pointer?.slice(1).replaceAll('/', '.');
    expect({ code, path }).toEqual(expected);
  });

  test('no such request is decided', async () => {
    await played.plane().atRest();
    expect(await api.get('/v1/audit/decisions')).toMatchObject({ decisions: [] });
  });
});

test('a plane shows the effective policy of a category', async () => {
  const byConfig = [...Map.groupBy(effectiveCases(), ({ config }) => JSON.stringify(config)).values()];
  const documents = byConfig.map((cases) => documentsOfCategories(cases[0]?.config ?? ''));
  const tenants = await played.plane().tenantsUnder(documents);
  for (const [at, api] of tenants.entries()) {
    const { policies } = await api.get<{ policies: { policy: { id: string } }[] }>('/v1/policies');
    for (const { id, store, path: category, effective } of byConfig[at] ?? []) {
      const path = `/v1/policies/${policies[0]?.policy.id}/categories`;
      expect(valuesOf(await api.get<Shown>(path, { store, category })), id).toEqual(effective);
    }
  }
});

type Said = { value: unknown };
type Shown = { permissions: Record<string, Said> } & Record<
  'defaultTtl' | 'maxContentLength' | 'subcategoryCreation',
  Said
>;

function valuesOf({ permissions, defaultTtl, maxContentLength, subcategoryCreation }: Shown): object {
  return {
    defaultTtl: defaultTtl.value,
    maxContentLength: maxContentLength.value,
    permissions: Object.fromEntries(Object.entries(permissions).map(([name, { value }]) => [name, value])),
    subcategoryCreation: subcategoryCreation.value,
  };
}

/**
 * A config with errors is never sent to a plane, so what a loader says about a config is tested in test/cases only.
 */
test('a plane accepts every config that loads', async () => {
  const configs = acceptedConfigs();
  expect(configs.length).toBeGreaterThan(5);
  await played.plane().tenantsUnder(configs);
});

test('every case was played', () => {
  expect(decided.length + refused.length + resolved.length).toBe(169 + 420 - 33);
});
