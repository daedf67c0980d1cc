import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CODES } from '@mandate/schemas';
import { CHARGING_TABLE, VERDICT_OF_GRANT, VERDICT_OF_TURN, VERDICT_OF_UNIT, VERDICTS } from '@mandate/step';
import { expect, test } from 'vitest';
import { luaConstants } from './lua-constants.ts';

const TABLES = {
  verdicts: VERDICTS,
  verdictOfGrant: VERDICT_OF_GRANT,
  verdictOfTurn: VERDICT_OF_TURN,
  verdictOfUnit: VERDICT_OF_UNIT,
  charging: CHARGING_TABLE,
};
const MADE = 'constants.lua';

function luaFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.lua') && !path.endsWith(MADE))
    .map((path) => join(folder, path));
}

test('writes the verdicts of packages/step for the scripts', () => {
  const made = luaConstants();
  for (const { verdict, code, final } of Object.values(VERDICTS)) {
    expect(made).toContain(`{ '${verdict}', '${code}'${final === null ? '' : `, ${final}`} }`);
  }
  expect(readFileSync(join(import.meta.dirname, 'parts', MADE), 'utf8')).toBe(made);
});

test('writes other constants for the scripts if a row of the tables changes', () => {
  const late = { ...VERDICTS.late, code: 'AGENT_KILLED', final: true } as const;
  const verdicts = { ...VERDICTS, late };
  expect(luaConstants()).toContain("late = { 'BLOCK', 'DEADLINE_EXCEEDED', false }");
  expect(luaConstants({ ...TABLES, verdicts })).toContain("late = { 'BLOCK', 'AGENT_KILLED', true }");

  const verdictOfGrant = { ...VERDICT_OF_GRANT, expired: 'denied' } as const;
  expect(luaConstants({ ...TABLES, verdictOfGrant })).toContain('expired = VERDICT.denied');

  const SUCCESS_BASED = { ...CHARGING_TABLE.SUCCESS_BASED, failed: ['estimateMicros'] } as const;
  const charging = { ...CHARGING_TABLE, SUCCESS_BASED };
  expect(luaConstants({ ...TABLES, charging })).toContain('SUCCESS_BASED = { failed = { 1 }, succeeded = {}');
});

test('refuses a row with an amount that its charging does not have', () => {
  const row = { ...CHARGING_TABLE.TIERED, failed: ['estimateMicros'] };
  expect(() => luaConstants({ ...TABLES, charging: { TIERED: row } })).toThrow(
    '"estimateMicros" is not among',
  );
});

test('derives the formats of a delivery, and the first byte of each part, from the layout', () => {
  const made = luaConstants();
  expect(made).toContain("head = '<c1ddd',\n  body = '<dddddBBBB',\n  decision = '<c1ddddddddBBBB',");
  expect(made).toContain('body_at = 26,\n  words_at = 70,');
});

test('the scripts themselves contain no code of a verdict', () => {
  const files = luaFiles(import.meta.dirname);
  expect(files.length).toBeGreaterThan(20);
  for (const file of files) {
    const text = readFileSync(file, 'utf8');
    for (const code of CODES) expect(text, file).not.toContain(`'${code}'`);
  }
});
