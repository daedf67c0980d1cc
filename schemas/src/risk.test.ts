import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ToolHints } from './action.ts';
import { RISK_LEVELS, type RiskLevel, riskOfHints } from './risk.ts';

test.each<[ToolHints, RiskLevel]>([
  [{}, 'critical'],
  [{ idempotent: true }, 'critical'],
  [{ openWorld: false }, 'critical'],
  [{ destructive: true }, 'critical'],
  [{ readOnly: false }, 'critical'],
  [{ readOnly: true, destructive: true, openWorld: false }, 'critical'],
  [{ destructive: false }, 'standard'],
  [{ destructive: false, idempotent: true, openWorld: false }, 'standard'],
  [{ readOnly: true }, 'standard'],
  [{ readOnly: true, openWorld: true }, 'standard'],
  [{ readOnly: true, openWorld: false }, 'safe'],
  [{ readOnly: true, destructive: false, openWorld: false }, 'safe'],
])('the risk of a tool with the hints %j is %s', (hints, risk) => {
  expect(riskOfHints(hints)).toBe(risk);
});

const hint = fc.option(fc.boolean(), { nil: undefined });
const hints = fc.record({ readOnly: hint, destructive: hint, idempotent: hint, openWorld: hint });
const rank = (stated: Record<string, boolean | undefined>) =>
  RISK_LEVELS.indexOf(riskOfHints(JSON.parse(JSON.stringify(stated))));

test('a hint that warns never lowers the risk, and a reassuring hint never raises it', () => {
  fc.assert(
    fc.property(hints, (stated) => {
      expect(rank({ ...stated, destructive: true })).toBeGreaterThanOrEqual(rank(stated));
      expect(rank({ ...stated, openWorld: true })).toBeGreaterThanOrEqual(rank(stated));
      expect(rank({ ...stated, readOnly: true })).toBeLessThanOrEqual(rank(stated));
      expect(rank({ ...stated, destructive: false })).toBeLessThanOrEqual(rank(stated));
    }),
  );
});

test('an absent hint counts like its default in MCP', () => {
  const defaults = { readOnly: false, destructive: true, idempotent: false, openWorld: true };
  fc.assert(
    fc.property(hints, (stated) => {
      const given = Object.fromEntries(Object.entries(stated).filter(([, value]) => value !== undefined));
      // For a tool that only reads, `destructive` has no meaning unless the server states it.
      const { destructive, ...others } = defaults;
      const filled = { ...(given.readOnly === true ? others : { destructive, ...others }), ...given };
      expect(rank(filled)).toBe(rank(stated));
    }),
  );
});
