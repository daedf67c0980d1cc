import { expect } from 'vitest';
import { z } from 'zod';
import type { AuditClient } from '../index.ts';
import {
  type AnalyticsFilter,
  type AnalyticsShape,
  type AnalyticsSource,
  fromBaseTables,
} from '../queries/analytics-source.ts';
import { fromRollups } from '../rollups/from-rollups.ts';

/** Returns all rows of a source, summed by every possible dimension. */
export function summedRows(
  client: AuditClient,
  source: AnalyticsSource,
  asked: AnalyticsFilter,
  shape: AnalyticsShape,
) {
  const { dimensions, cutMs } = shape;
  const bound = Object.entries(asked).filter(([, value]) => value !== undefined);
  const keys = [
    'agent_id',
    'verdict',
    ...dimensions.map((name) => DIMENSION_COLUMNS[name] ?? name),
    cutMs === undefined ? '0' : `intDiv(toUnixTimestamp64Milli(at), ${cutMs})`,
  ];
  return client.query(
    `SELECT [${keys.map((key) => `toString(${key})`).join(', ')}] AS key, sum(booked.calls) AS calls, sumForEach(booked.latencies) AS latencies, sum(booked.near_misses) AS nearMisses,
        sum(booked.charged) AS charged, sum(booked.settled) AS settled, max(booked.last_at) AS lastAt
      FROM ${source(asked, shape)} AS booked GROUP BY key ORDER BY key`,
    Object.fromEntries(bound) as Parameters<AuditClient['query']>[1],
    z.looseObject({}),
  );
}

const DIMENSION_COLUMNS: Readonly<Record<string, string>> = {
  agent: 'agent_id',
  observedCode: 'observed_code',
  principal: 'principal_id',
  role: 'principal_role',
  mandate: 'mandate_id',
};

/** Expects that the exact sums of a source equal the sums of the base tables. */
export async function expectSameSums(
  client: AuditClient,
  asked: AnalyticsFilter,
  shape: AnalyticsShape,
): Promise<void> {
  const kept = await summedRows(client, fromRollups, asked, shape);
  expect(kept).toEqual(await summedRows(client, fromBaseTables, asked, shape));
}
