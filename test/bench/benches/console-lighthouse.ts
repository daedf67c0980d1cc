/**
 * The scores of Lighthouse for pages of the console, in front of a plane with 10,000 decisions. Lighthouse loads each
 * page with an empty cache, and computes the performance for a desktop.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chromiumOptions, installedLighthouse, waitUntil } from '@mandate/testing';
import { chromium } from 'playwright-core';
import { stated } from '../measure/compare.ts';
import type { Row } from '../row.ts';
import { generateYear } from '../workload/generated-year.ts';
import { planeInProcess } from '../workload/plane-in-process.ts';
import { temporaryFolder } from '../workload/temporary-log.ts';

const DECISIONS = 10_000;
const RUNS = 3;
const LONGEST_RUN_MS = 120_000;
const PAGES = { 'sign-in': '/sign-in', Now: '/', Decisions: '/decisions', Spend: '/spend' } as const;
const CATEGORIES = ['performance', 'accessibility', 'best-practices', 'seo'] as const;

/** What the bench reads of the result of Lighthouse. */
type Audit = { title: string; score: number | null };
type Scored = {
  finalDisplayedUrl: string;
  categories: Record<string, { score: number | null; auditRefs: { id: string; weight: number }[] }>;
  audits: Record<string, Audit>;
};
type Lighthouse = {
  default(url: string, flags: object, config: object): Promise<{ lhr: Scored }>;
  desktopConfig: object;
};

export async function consoleLighthouse(): Promise<Row[]> {
  const lighthouse = (await import(await installedLighthouse())) as Lighthouse;
  using folder = temporaryFolder();
  const { plane, toPlane } = await planeInProcess(folder.path);
  await generateYear(plane.audit, DECISIONS, 'default');
  const profile = join(folder.path, 'profile');
  const { args, ...options } = await chromiumOptions();
  const debugged = { ...options, args: [...args, '--remote-debugging-port=0'] };
  const browser = await chromium.launchPersistentContext(profile, debugged);
  try {
    const portFile = join(profile, 'DevToolsActivePort');
    const port = await waitUntil('the port of Chromium', async () => {
      const text = await readFile(portFile, 'utf8').catch(() => '');
      return /^\d+(?=\n)/.exec(text)?.[0];
    });
    const rows: Row[] = [];
    for (const [name, path] of Object.entries(PAGES)) {
      if (name === 'Now') {
        const page = await browser.newPage();
        await page.goto(`${plane.url}/sign-in#key=${toPlane.key}`);
        await page.getByRole('heading', { name: 'Now' }).waitFor();
        await page.close();
      }
      const results: Scored[] = [];
      for (let run = 0; run < RUNS; run += 1)
        results.push(await scored(lighthouse, new URL(path, plane.url), port));
      for (const category of CATEGORIES) {
        const scores = results.map(({ categories }) => (categories[category]?.score ?? 0) * 100);
        rows.push(stated(`console, Lighthouse: ${name}, ${category}`, 'of 100', scores));
      }
      for (const lost of lostPoints(results)) process.stderr.write(`${name}: ${lost}\n`);
    }
    return rows;
  } finally {
    await browser.close();
    await plane.stop();
  }
}

/** @throws if Lighthouse takes too long, or was sent to another page */
async function scored({ default: run, desktopConfig }: Lighthouse, url: URL, port: string): Promise<Scored> {
  const flags = { port: Number(port), logLevel: 'error', onlyCategories: CATEGORIES };
  const tooLong = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => tooLong.reject(new Error(`Lighthouse took longer than ${LONGEST_RUN_MS} ms for ${url}`)),
    LONGEST_RUN_MS,
  );
  try {
    const { lhr } = await Promise.race([run(url.href, flags, desktopConfig), tooLong.promise]);
    if (new URL(lhr.finalDisplayedUrl).pathname !== url.pathname)
      throw new Error(`${url} led to ${lhr.finalDisplayedUrl}`);
    return lhr;
  } finally {
    clearTimeout(timer);
  }
}

/** The audits that took points off in the last run. */
function lostPoints(results: readonly Scored[]): string[] {
  const last = results.at(-1);
  if (last === undefined) return [];
  return CATEGORIES.flatMap((category) =>
    (last.categories[category]?.auditRefs ?? []).flatMap(({ id, weight }) => {
      const { title, score } = last.audits[id] ?? { title: id, score: null };
      const isLost = weight > 0 && score !== null && score < 1;
      return isLost ? [`${category} ${Math.round(score * 100)}: ${title}`] : [];
    }),
  );
}
