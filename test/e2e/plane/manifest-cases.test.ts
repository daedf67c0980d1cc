/**
 * Runs the cases of manifests through a whole plane: the documents come over the control API, the actions and the
 * answers of people over HTTP, and the decisions are read back from ClickHouse.
 */
import { describe, expect, test } from 'vitest';
import {
  acceptedManifests,
  documentsOf,
  manifestDecisionCases,
  publishedCases,
} from '../../cases/manifest/manifest-decisions.ts';
import { expectLaws } from '../../faults/support/expect-laws.ts';
import {
  expectAsOffline,
  expectAsPreviewed,
  expectAsStated,
  expectShownByApi,
  expectWholeRecord,
} from '../support/expect-played.ts';
import { type CaseToPlay, idIn, playedBeforeAll } from '../support/play-cases.ts';

const CASES = manifestDecisionCases();
const PUBLISHED = publishedCases();
const [hashKey = '', ...otherKeys] = new Set(PUBLISHED.map(({ hashKey }) => hashKey));

const played = playedBeforeAll(
  [
    ...CASES,
    ...PUBLISHED.map(
      ({ id, given, action }): CaseToPlay => ({
        ...{ id, ...documentsOf(given), now: given.now, steps: [{ at: 0, ask: action }] },
        keepsPersons: true,
      }),
    ),
  ],
  { hashKey },
);

describe('decisions under a manifest', () => {
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

describe('actions as they are published', () => {
  test.each(PUBLISHED)('$id: $why', ({ id, action, expected }) => {
    const [one] = played.of({ id });
    if (!one) throw new Error('the action has no decision');
    expectWholeRecord(one, 'the action');
    const { tenant: _, deadlineMs: __, ...published } = one.recorded.action as Record<string, unknown>;
    expect(published).toEqual({ ...expected, id: idIn({ id }, action.id) });
  });

  test('all cases have the same key', () => expect(otherKeys).toEqual([]));
});

/**
 * The other cases ask how a document, a duration, a rate, a condition or a pattern is read. They are tested in
 * test/cases only: documents with errors are never sent to a plane, and the others ask for no decision.
 */
test('a plane accepts every manifest that loads', async () => {
  const manifests = acceptedManifests();
  expect(manifests.length).toBeGreaterThan(10);
  await played.plane().tenantsUnder(manifests);
});
