/** Looks at every page of the console. */
import { expect } from 'vitest';
import { axeFaults, type Looking, type Scene } from './console-scene.ts';

export const PAGES = [
  ...['/', '/agents', '/agents/worker', '/decisions', '/approvals', '/spend', '/policies', '/policies/reads'],
  ...['/what-if', '/changes', '/changes?show=reads', '/system'],
];

/**
 * The tables that are cut at their right side, and the charts that are not drawn in the pixels of their place. A table of very
 * many rows or columns is scrolled. The function runs in the browser, so it is a text here.
 */
const CUT = `[
  ...[...document.querySelectorAll('section[aria-label^="Table: "]:has(tbody td[data-head])')]
    .filter((table) => table.querySelector('[aria-rowcount]') === null)
    .filter(({ ariaLabel }) => !/: (Agents and tools|.*, as a table)$/.test(ariaLabel))
    .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
    .map(({ ariaLabel }) => ariaLabel),
  ...[...document.querySelectorAll('figure > svg')]
    .filter((chart) => Math.abs(chart.viewBox.baseVal.width - chart.clientWidth) > 1)
    .map(({ ariaLabel }) => ariaLabel),
]`;

/** How pages are looked at. Each page is loaded once, and checked in each colour scheme. */
type Way = Pick<Looking, 'isPhone'> & {
  /** The colour schemes, each with the rules of axe that it is checked with. Null: all rules. */
  schemes: readonly (readonly [scheme: 'light' | 'dark', rules: readonly string[] | null])[];
};

/**
 * Fails if a page has a fault of accessibility, is wider than the window, cuts a table or a chart, or asks for a route
 * that the plane does not describe.
 */
export async function lookAtEveryPage(scene: Scene, { isPhone = false, schemes }: Way): Promise<void> {
  await using browser = await scene.look({ isPhone });
  const { page, asked } = browser;
  const axeFaultsInEachScheme = async (path: string) => {
    for (const [scheme, rules] of schemes) {
      await page.emulateMedia({ colorScheme: scheme });
      expect([path, scheme, await axeFaults(page, rules ?? undefined)]).toEqual([path, scheme, []]);
    }
  };
  for (const path of [...PAGES, `/decisions/${scene.ids.deferred}`]) {
    await page.goto(path);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await expect.poll(() => page.getByText(/^(Loading|The editor is coming|Working it out)/).count()).toBe(0);
    await axeFaultsInEachScheme(path);
    expect([path, await page.evaluate('document.documentElement.scrollWidth <= screen.width')]).toEqual([
      path,
      true,
    ]);
    expect([path, await page.evaluate<string[]>(CUT)]).toEqual([path, []]);
  }
  await page.goto('/sign-in');
  await page.getByRole('heading', { level: 1 }).waitFor();
  await axeFaultsInEachScheme('/sign-in');
  expect(asked.size).toBeGreaterThan(20);
  const described = await routesOf(scene.url);
  expect([...asked].filter((path) => !described.some((route) => route.test(path)))).toEqual([]);
}

/** Returns the paths that the plane describes in its OpenAPI document. */
async function routesOf(url: string): Promise<RegExp[]> {
  const { paths } = (await (await fetch(new URL('/openapi.json', url))).json()) as { paths: object };
  return Object.keys(paths).map((path) => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`));
}
