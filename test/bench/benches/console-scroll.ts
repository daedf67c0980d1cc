/**
 * Scrolls the list of 100,000 decisions in Chromium, from its end to its beginning, and measures the time from each
 * frame to the next. The rival is an empty page of the same height.
 */
import { chromiumOptions, startPlane, waitUntil } from '@mandate/testing';
import { chromium, type Page } from 'playwright-core';
import { compare, type Sample } from '../measure/compare.ts';
import { type Latencies, latenciesOf } from '../measure/latencies.ts';
import type { Row } from '../row.ts';
import { newActions } from '../workload/actions.ts';
import { limitNothing } from '../workload/limit-nothing.ts';
import { mandatesFileIn } from '../workload/mandate.ts';
import { temporaryFolder } from '../workload/temporary-log.ts';

const DECISIONS = 100_000;
/** The most actions of a request. */
const A_REQUEST = 500;
const PAIRS = 3;
const LOADED = `${DECISIONS.toLocaleString('en-US')} decisions, and no earlier ones`;
/** How far each frame scrolls, in pixels: a little more than a screen. */
const A_FRAME = 1_000;
/** The height that is scrolled, in pixels: 600 frames. */
const HEIGHT = 600_000;

/** Runs in the page. Scrolls up by a screen in each frame, and returns the milliseconds between the frames. */
const SCROLL = `new Promise((resolve) => {
  const times = [];
  const end = scrollY - ${HEIGHT};
  let before = performance.now();
  const frame = (now) => {
    times.push(now - before);
    before = now;
    if (scrollY <= Math.max(end, 0)) return resolve(times.slice(1));
    scrollBy(0, -${A_FRAME});
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
})`;

export async function consoleScroll(): Promise<Row[]> {
  using folder = temporaryFolder();
  const plane = await startPlane({ data: folder.path, mandates: mandatesFileIn(folder.path) });
  const key = plane.keys.operator ?? '';
  const browser = await chromium.launch(await chromiumOptions());
  try {
    await limitNothing({ url: plane.url, key });
    await decide(plane.url, key);
    const page = await browser.newPage();
    await page.goto(`${plane.url}/sign-in#key=${key}`);
    await page.getByRole('heading', { name: 'Now' }).waitFor();
    await page.goto(`${plane.url}/decisions`);
    await waitUntil(
      'the whole list',
      async () => {
        await page.keyboard.press('End');
        return (await page.getByText(LOADED).count()) > 0;
      },
      300_000,
    );
    const empty = await browser.newPage();
    await empty.setContent(`<div style="height: ${HEIGHT * 2}px"></div>`);
    return await compare({
      pairs: PAIRS,
      ours: () => scrolled(page),
      rival: { what: 'an empty page', run: () => scrolled(empty) },
      figures: {
        p50Ms: { what: 'console: 100,000 decisions scrolled, from frame to frame, p50', unit: 'ms' },
        p99Ms: { what: 'console: 100,000 decisions scrolled, from frame to frame, p99', unit: 'ms' },
      },
    });
  } finally {
    await browser.close();
    await plane.kill('SIGTERM');
  }
}

async function scrolled(page: Page): Promise<Sample<keyof Latencies>> {
  await page.bringToFront();
  await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
  const timesMs = (await page.evaluate(SCROLL)) as number[];
  return { ...latenciesOf(timesMs), cpuMicros: 0 };
}

/** Publishes the actions, and waits until all are in the audit. */
async function decide(url: string, key: string): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  for (let sent = 0; sent < DECISIONS; sent += A_REQUEST) {
    const body = JSON.stringify(newActions(A_REQUEST));
    const answer = await fetch(new URL('/v1/actions', url), { method: 'POST', headers, body });
    if (!answer.ok) throw new Error(await answer.text());
    await answer.arrayBuffer();
  }
  await waitUntil(
    'the audit has all decisions',
    async () => {
      const answer = await fetch(new URL('/v1/audit/analytics', url), { headers });
      const { groups } = (await answer.json()) as { groups: { calls: number }[] };
      return groups.reduce((sum, { calls }) => sum + calls, 0) === DECISIONS;
    },
    300_000,
  );
}
