/**
 * Compares the engine that checks arguments with a literal reading of JSON Schema, on schemas that combine every
 * keyword.
 */

import { compileArgumentRules } from '@mandate/policy';
import { hits, runs } from '@mandate/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { schemas, schemaValues } from './arbitrary-schemas.ts';
import { holdsByReference } from './json-schema-reference.ts';

test('every verdict on an accepted schema equals the verdict of the reference evaluator', () => {
  const seen = { taken: 0, refused: 0, holds: 0, fails: 0 };
  fc.assert(
    fc.property(schemas, fc.array(schemaValues, { minLength: 4, maxLength: 8 }), (schema, values) => {
      const rules = compileArgumentRules({ schema: schema as Record<string, unknown> });
      if (!rules.ok) {
        seen.refused += 1;
        for (const { message } of rules.faults)
          expect(message).toMatch(/refers to itself|never met|multiply|deeper/);
        return;
      }
      seen.taken += 1;
      for (const value of values) {
        const fault = rules.validate(value, { left: Number.POSITIVE_INFINITY });
        seen[fault === null ? 'holds' : 'fails'] += 1;
        expect({ value, holds: fault === null }).toEqual({ value, holds: holdsByReference(schema, value) });
      }
    }),
    { numRuns: runs(2_000) },
  );
  expect(seen.refused).toBeLessThan(seen.taken / 5);
  expect(Math.min(seen.holds, seen.fails)).toBeGreaterThan(hits(1_000));
});
