/** Addresses at which nothing is: a page of the console says so, and where to go. */
import { describeWithChromium } from '@mandate/testing';
import { expect, test } from 'vitest';
import { axeFaults, openScene } from './console-scene.ts';

const MISSING = [
  ['/policie?x=1', 'Page not found', 'There is no page at /policie.', 'Policies'],
  ['/policies/nothing', 'Policy not found', 'There is no policy «nothing».', 'All policies'],
  ['/decisions/dec_nothing', 'Decision not found', 'no decision «dec_nothing»', 'All decisions'],
  ['/approvals/nothing', 'Approval not found', 'no question with this id', 'All questions'],
  ['/changes/nothing', 'Change not found', 'no change «nothing»', 'All changes'],
  ['/changes/nothing?event=agent.killed', 'Change not found', 'no kill «nothing»', 'All changes'],
  ['/agents/nothing', 'Agent not found', 'no agent «nothing»', 'All agents'],
] as const;

describeWithChromium('the console, where nothing is', () => {
  test('says what is missing, and where to go', async () => {
    await using scene = await openScene();
    await using browser = await scene.look({ as: 'viewer' });
    const { page } = browser;
    for (const [path, heading, what, link] of MISSING) {
      await page.goto(path);
      await page.getByRole('heading', { level: 1, name: heading }).waitFor();
      const main = page.getByRole('main');
      await main.getByText(what).waitFor();
      await main.getByRole('link', { name: link, exact: true }).waitFor();
      expect([path, await page.getByRole('alert').count()]).toEqual([path, 0]);
    }
    expect(await axeFaults(page)).toEqual([]);
    // What follows would see nothing if the look at faults were blind.
    await page.evaluate("document.querySelector('main').append(document.createElement('img'))");
    expect(await axeFaults(page)).toEqual([expect.stringMatching(/^image-alt: /)]);
    await page.goto('/nowhere');
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    expect(await axeFaults(page)).toEqual([]);
  });
});
