/**
 * Scrolls a list of 100,000 decisions in Chromium. First the page reads all of them, as it does for a person who
 * scrolls on. Then a gesture scrolls the whole list at a fixed speed. The frames are those that the trace of Chromium
 * reports. The rival is a page of the same height that has only a background, so its figures are those of the machine.
 */
import { chromiumOptions } from '@mandate/testing';
import { type Browser, type CDPSession, chromium, type Page } from 'playwright-core';
import { z } from 'zod';
import { compare, type Sample, stated } from '../measure/compare.ts';
import { latenciesOf } from '../measure/latencies.ts';
import type { Row } from '../row.ts';
import { generateYear } from '../workload/generated-year.ts';
import { planeInProcess } from '../workload/plane-in-process.ts';
import { temporaryFolder } from '../workload/temporary-log.ts';

const DECISIONS = 100_000;
const PAIRS = 3;
const SCROLLED_S = 5;
/** The screen passes three times, and ten times, in a second. */
const SPEEDS_PX = [3_000, 10_000] as const;
const WINDOW = { width: 1_350, height: 940 };
const LONGEST_READING_MS = 300_000;
const LONGEST_GESTURE_MS = 60_000;

/** Runs in the page. Scrolls to the end until the page has read the whole list. Returns the number of decisions. */
const READ_ALL = `new Promise((resolve, reject) => {
  const until = performance.now() + ${LONGEST_READING_MS};
  const look = () => {
    const said = [...document.querySelectorAll('[role="status"]')].map((one) => one.textContent).join(' ');
    const [, read] = /([\\d,]+) decisions, and no earlier/.exec(said) ?? [];
    if (read !== undefined) return resolve(Number(read.replaceAll(',', '')));
    if (performance.now() > until) return reject(new Error('the list was not read: ' + said));
    scrollTo(0, document.documentElement.scrollHeight);
    setTimeout(look, 20);
  };
  look();
})`;

/** Lines like those of a table, so that each frame differs from the one before. */
const BARE = (height: number) =>
  `<body style="margin:0;height:${height}px;background:repeating-linear-gradient(#fff 0 35px,#ddd 35px 36px)">`;

export async function consoleScroll(): Promise<Row[]> {
  using folder = temporaryFolder();
  const { plane, toPlane } = await planeInProcess(folder.path);
  await generateYear(plane.audit, DECISIONS, 'default');
  const browser = await chromium.launch(await chromiumOptions());
  try {
    const list = await browser.newPage({ viewport: WINDOW });
    await list.goto(`${plane.url}/sign-in#key=${toPlane.key}`);
    await list.getByRole('heading', { name: 'Now' }).waitFor();
    await list.goto(`${plane.url}/decisions`);
    await list.getByRole('region', { name: 'Table: Decisions found' }).waitFor();
    const beganMs = performance.now();
    const rows = (await list.evaluate(READ_ALL)) as number;
    const readS = (performance.now() - beganMs) / 1_000;
    const bare = await browser.newPage({ viewport: WINDOW });
    await bare.setContent(BARE((await list.evaluate('document.documentElement.scrollHeight')) as number));
    const counted = rows.toLocaleString('en-US');
    return [
      stated(`console: ${counted} decisions read by scrolling on`, 's', [readS]),
      ...(await scrolledAt(SPEEDS_PX[0], { browser, list, bare, counted })),
      ...(await scrolledAt(SPEEDS_PX[1], { browser, list, bare, counted })),
    ];
  } finally {
    await browser.close();
    await plane.stop();
  }
}

async function scrolledAt(
  speed: number,
  { browser, list, bare, counted }: { browser: Browser; list: Page; bare: Page; counted: string },
): Promise<Row[]> {
  const dropped = { ours: [] as number[], rival: [] as number[] };
  const measured = async (page: Page, into: number[]): Promise<Sample<'p99Ms' | 'longestMs'>> => {
    const { droppedPercent, ...sample } = await scroll(browser, page, speed);
    into.push(droppedPercent);
    return sample;
  };
  const what = `console: ${counted} decisions scrolled by ${speed.toLocaleString('en-US')} px/s`;
  const rows = await compare({
    pairs: PAIRS,
    ours: () => measured(list, dropped.ours),
    rival: { what: 'a page with a background only', run: () => measured(bare, dropped.rival) },
    figures: {
      p99Ms: { what: `${what}: from frame to frame, p99`, unit: 'ms' },
      longestMs: { what: `${what}: from frame to frame, longest`, unit: 'ms' },
    },
  });
  // The first pair is not counted, as in `compare`.
  return [
    ...rows,
    stated(`${what}: frames dropped or late`, '%', dropped.ours.slice(1)),
    stated(`the page with a background only, by ${speed.toLocaleString('en-US')} px/s: the same`, '%', [
      ...dropped.rival.slice(1),
    ]),
  ];
}

const trace = z.object({
  traceEvents: z.array(
    z.object({
      name: z.string(),
      ph: z.string(),
      ts: z.number(),
      tdur: z.number().optional(),
      args: z
        .object({
          frame_reporter: z.object({ state: z.string(), affects_smoothness: z.boolean() }).optional(),
        })
        .optional(),
    }),
  ),
});

/** The CPU is that of the page's main thread, by frame that came onto the screen. */
async function scroll(
  browser: Browser,
  page: Page,
  speed: number,
): Promise<Sample<'p99Ms' | 'longestMs' | 'droppedPercent'>> {
  await page.bringToFront();
  await page.evaluate('scrollTo(0, 0)');
  const toPage = await page.context().newCDPSession(page);
  await browser.startTracing(page, { categories: ['benchmark'] });
  await gesture(toPage, speed);
  const { traceEvents } = trace.parse(JSON.parse((await browser.stopTracing()).toString()));
  await toPage.detach();
  const shownAtMs = traceEvents
    .filter(({ name }) => name === 'Display::FrameDisplayed')
    .map(({ ts }) => ts / 1_000)
    .sort((one, other) => one - other);
  const betweenMs = shownAtMs.slice(1).map((ms, at) => ms - (shownAtMs[at] ?? ms));
  const frames = traceEvents.flatMap(({ ph, args }) =>
    ph === 'b' && args?.frame_reporter !== undefined ? [args.frame_reporter] : [],
  );
  const wanted = frames.filter(({ state }) => state !== 'STATE_NO_UPDATE_DESIRED');
  if (wanted.length < SCROLLED_S || betweenMs.length < SCROLLED_S)
    throw new Error(`Chromium reported ${wanted.length} frames, and showed ${betweenMs.length}`);
  const lost = wanted.filter(({ state, affects_smoothness: is }) => is && state !== 'STATE_PRESENTED_ALL');
  const mainMicros = traceEvents
    .filter(({ name, ph }) => name === 'ProxyMain::BeginMainFrame' && ph === 'X')
    .reduce((sum, { tdur = 0 }) => sum + tdur, 0);
  return {
    p99Ms: latenciesOf(betweenMs).p99Ms,
    longestMs: Math.max(...betweenMs),
    droppedPercent: (100 * lost.length) / wanted.length,
    cpuMicros: mainMicros / shownAtMs.length,
  };
}

/** Scrolls down as a wheel does. */
async function gesture(toPage: CDPSession, speed: number): Promise<void> {
  const tooLong = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => tooLong.reject(new Error(`Chromium scrolled for more than ${LONGEST_GESTURE_MS} ms`)),
    LONGEST_GESTURE_MS,
  );
  const middle = { x: WINDOW.width / 2, y: WINDOW.height / 2 };
  const how = { ...middle, yDistance: -speed * SCROLLED_S, speed, gestureSourceType: 'mouse' } as const;
  try {
    await Promise.race([toPage.send('Input.synthesizeScrollGesture', how), tooLong.promise]);
  } finally {
    clearTimeout(timer);
  }
}
