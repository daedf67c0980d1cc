/**
 * Measures the console in Chromium, in front of a plane in its own process. A kill: from Enter in the question until
 * the card is on the screen. The rival is the same kill without a browser. The first load: from the address until the
 * agents are on the screen, with nothing in the cache. The rival reads the same list without a browser.
 */
import { chromiumOptions, startPlane } from '@mandate/testing';
import { chromium, type Page } from 'playwright-core';
import { compare, type Sample } from '../measure/compare.ts';
import { type Latencies, latenciesOf } from '../measure/latencies.ts';
import type { Row } from '../row.ts';
import { temporaryFolder } from '../workload/temporary-log.ts';

const KILLS = 20;
const LOADS = 5;
const PAIRS = 3;

/** The text runs in the page. It notes when Enter was pressed, and when the card of the kill came. */
const WATCH = `
  window.tookMs = null;
  addEventListener('keydown', ({ key }) => { if (key === 'Enter') window.enteredMs = performance.now(); }, true);
  new MutationObserver(() => {
    if (window.tookMs === null && document.querySelector('[aria-label^="Kill of"]'))
      window.tookMs = performance.now() - window.enteredMs;
  }).observe(document.body, { childList: true, subtree: true });`;

export async function consoleInBrowser(): Promise<Row[]> {
  using folder = temporaryFolder();
  const plane = await startPlane({ data: folder.path });
  const key = plane.keys.operator ?? '';
  const browser = await chromium.launch(await chromiumOptions());
  const ask = async (method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const answer = await fetch(new URL(path, plane.url), {
      ...{ method, headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(await answer.text());
    await answer.json();
  };
  /** The agents must be known, because a kill of an unknown agent counts as a change of the key. */
  let made = 0;
  const newAgent = async () => {
    made += 1;
    await ask('POST', '/v1/agents', { id: `bot-${made}` });
    return `bot-${made}`;
  };

  async function killInBrowser(): Promise<Sample<keyof Latencies>> {
    const page = await (await browser.newContext({ baseURL: plane.url })).newPage();
    await page.goto(`${plane.url}/sign-in#key=${key}`);
    await page.getByRole('heading', { name: 'Now' }).waitFor();
    await page.evaluate(WATCH);
    const timesMs: number[] = [];
    for (let kill = 0; kill < KILLS; kill += 1) timesMs.push(await killFromPalette(page, await newAgent()));
    await page.context().close();
    return { ...latenciesOf(timesMs), cpuMicros: 0 };
  }

  async function killByRoute(): Promise<Sample<keyof Latencies>> {
    const timesMs: number[] = [];
    for (let kill = 0; kill < KILLS; kill += 1) {
      const path = `/v1/agents/${await newAgent()}/kill`;
      const began = performance.now();
      await ask('POST', path, {});
      timesMs.push(performance.now() - began);
    }
    return { ...latenciesOf(timesMs), cpuMicros: 0 };
  }

  async function loadInBrowser(): Promise<Sample<keyof Latencies>> {
    const timesMs: number[] = [];
    for (let load = 0; load < LOADS; load += 1) {
      const context = await browser.newContext();
      const page = await context.newPage();
      await page.goto(`${plane.url}/sign-in#key=${key}`);
      await page.getByRole('heading', { name: 'Now' }).waitFor();
      const session = await context.cookies();
      await context.close();
      const fresh = await browser.newContext();
      await fresh.addCookies(session);
      const first = await fresh.newPage();
      const began = performance.now();
      await first.goto(plane.url);
      await first.getByRole('region', { name: 'Table: Agents' }).waitFor();
      timesMs.push(performance.now() - began);
      await fresh.close();
    }
    return { ...latenciesOf(timesMs), cpuMicros: 0 };
  }

  async function readByRoute(): Promise<Sample<keyof Latencies>> {
    const timesMs: number[] = [];
    for (let load = 0; load < LOADS; load += 1) {
      const began = performance.now();
      await ask('GET', '/v1/ledger/agents?limit=200');
      timesMs.push(performance.now() - began);
    }
    return { ...latenciesOf(timesMs), cpuMicros: 0 };
  }

  try {
    const kills = await compare({
      pairs: PAIRS,
      ours: killInBrowser,
      rival: { what: 'the same kill by HTTP', run: killByRoute },
      figures: {
        p50Ms: { what: 'console: Enter until the kill is on the screen, p50', unit: 'ms' },
        p99Ms: { what: 'console: Enter until the kill is on the screen, p99', unit: 'ms' },
      },
    });
    const loads = await compare({
      pairs: PAIRS,
      ours: loadInBrowser,
      rival: { what: 'the list of agents by HTTP', run: readByRoute },
      figures: { p50Ms: { what: 'console: first load until the agents are on the screen, p50', unit: 'ms' } },
    });
    return [...kills, ...loads];
  } finally {
    await browser.close();
    await plane.kill('SIGTERM');
  }
}

/** Returns the milliseconds from Enter to the card. */
async function killFromPalette(page: Page, agentId: string): Promise<number> {
  await page.goto(`/agents?q=${agentId}`);
  await page.getByRole('button', { name: `Kill ${agentId}`, exact: true }).focus();
  await page.evaluate(WATCH);
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('region', { name: `Kill of ${agentId}` }).waitFor();
  return (await page.evaluate('window.tookMs')) as number;
}
