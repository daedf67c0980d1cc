/**
 * The numbers on the pages, in four time zones. They must be those of the command line and of ClickHouse, to the
 * micro-dollar. ClickHouse is asked with SQL that only this test has.
 */
import { describeWithChromium } from '@mandate/testing';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { runMandate } from '../cli/run-mandate.ts';
import { openScene, type Scene } from './console-scene.ts';

/** Some of these calls are on one day in one zone, and on another day in another zone. */
const HOURS_AGO = [71.3, 66, 60.2, 53.7, 49, 44.4, 37.9, 30, 26.6, 23.5, 18.2, 12, 7.1, 2.4, 0.2];
const HOUR_MS = 3_600_000;
const AGENTS = ['bot-1', 'bot-2', 'bot-3'];

type Sums = Record<string, Record<string, number>>;

describeWithChromium('the numbers of the console', () => {
  let scene: Scene;
  let nowMs: number | null = null;
  beforeAll(async () => {
    const startMs = Date.now();
    nowMs = startMs - 72 * HOUR_MS;
    scene = await openScene({ clock: () => nowMs ?? Date.now() });
    for (const [index, hours] of HOURS_AGO.entries()) {
      nowMs = startMs - hours * HOUR_MS;
      const agentId = AGENTS[index % AGENTS.length] ?? '';
      await scene.call(agentId, 'search', { estimatedCostMicros: 10_001 + index * 7_013 });
    }
    nowMs = null;
    await scene.atRest();
  });
  afterAll(() => scene?.[Symbol.asyncDispose]());

  test.each(['UTC', 'America/Los_Angeles', 'Asia/Kolkata', 'Pacific/Auckland'])(
    'are those of the command line and of ClickHouse: %s',
    async (zone) => {
      const stored = await ofClickHouse(scene, zone);
      expect(Object.keys(stored).length).toBeGreaterThanOrEqual(3);
      expect(await ofCommandLine(scene, zone)).toEqual(stored);
      await using browser = await scene.look({ as: 'viewer', zone });
      const { page } = browser;
      await page.goto('/spend?by=agent&from=7d');
      await page.getByText('Numbers').click();
      expect(await ofPage(page)).toEqual(stored);
      const whole = AGENTS.map((agent) =>
        Object.values(stored).reduce((sum, day) => sum + (day[agent] ?? 0), 0),
      );
      for (const [index, agent] of AGENTS.entries()) {
        const row = page
          .getByRole('region', { name: 'Table: Spend by agent' })
          .getByRole('row', { name: agent });
        expect(await micros(row.getByTitle('micro-dollars').getAttribute('title'))).toBe(whole[index]);
      }
      const table = page.getByRole('region', { name: 'Table: Spend by agent' });
      const parts = await Promise.all(
        (await table.getByTitle('micro-dollars').all()).map((one) => micros(one.getAttribute('title'))),
      );
      expect(parts.at(-1)).toBe(parts.slice(0, -1).reduce((sum, part) => sum + part, 0));
      await page
        .getByRole('region', { name: 'The whole period' })
        .getByText(/ to .*, (?:UTC|[A-Z]\w+\/\w+)$/)
        .waitFor();
    },
  );
});

/** What each agent spent on each day of a zone, in micro-dollars, by the table of decisions. */
async function ofClickHouse(scene: Scene, zone: string): Promise<Sums> {
  const rows = await scene.audit().query(
    `SELECT formatDateTime(decided_at, '%e %b', {zone:String}) AS day, agent_id AS agent, sum(charged_micros) AS spent
     FROM decisions FINAL WHERE startsWith(agent_id, 'bot-') GROUP BY day, agent`,
    { zone },
    z.object({ day: z.string(), agent: z.string(), spent: z.int() }),
  );
  return byDay(rows.map(({ day, ...rest }) => ({ day: day.trim(), ...rest })));
}

async function ofCommandLine(scene: Scene, zone: string): Promise<Sums> {
  const words = ['analytics', 'groups', '--from', '7d', '--group-by', 'agent', '--interval', '1d'];
  const { stdout } = await runMandate([...words, '--time-zone', zone, '--json'], {
    env: { MANDATE_URL: scene.url, MANDATE_API_KEY: scene.key('viewer') },
  });
  const day = new Intl.DateTimeFormat('en-GB', { timeZone: zone, day: 'numeric', month: 'short' });
  const { groups } = JSON.parse(stdout) as {
    groups: { group: { agent: string }; buckets: { start: string; spentMicros: number }[] }[];
  };
  return byDay(
    groups.flatMap(({ group: { agent }, buckets }) =>
      buckets.map(({ start, spentMicros }) => ({
        day: day.format(new Date(start)),
        agent,
        spent: spentMicros,
      })),
    ),
  );
}

async function ofPage(page: Page): Promise<Sums> {
  const table = page.getByRole('region', { name: 'as a table' });
  const [, ...agents] = await table.getByRole('columnheader').allTextContents();
  const rows = await table.locator('tbody tr').all();
  const read = rows.map(async (row) => {
    const [day = '', ...amounts] = await row.locator('th, td').allTextContents();
    return agents.map((agent, index) => ({ day, agent, spent: microsOf(amounts[index] ?? '') }));
  });
  return byDay((await Promise.all(read)).flat());
}

/** Days without spending are left out, and so are agents of the scene that this test did not make. */
function byDay(rows: readonly { day: string; agent: string; spent: number }[]): Sums {
  const sums: Sums = {};
  for (const { day, agent, spent } of rows) {
    if (spent === 0 || !AGENTS.includes(agent)) continue;
    sums[day] = { ...sums[day], [agent]: spent };
  }
  return sums;
}

/** The micro-dollars of `$1,234.005`. */
function microsOf(dollars: string): number {
  const [whole = '', decimals = ''] = dollars.replaceAll(/[$,]/g, '').split('.');
  return Number(whole) * 1_000_000 + Number(decimals.padEnd(6, '0'));
}

/** The number in `1,234 micro-dollars`. */
async function micros(title: Promise<string | null>): Promise<number> {
  return Number((await title)?.replaceAll(/\D/g, ''));
}
