/** The console in a real browser, in front of a real plane. Each test also fails if a page breaks its security policy. */
import { describeWithChromium, IS_SHORT } from '@mandate/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { axeFaults, openScene, type Scene } from './console-scene.ts';

describeWithChromium('the console for operators', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene();
  });
  afterAll(() => scene?.[Symbol.asyncDispose]());

  test('kills an agent by the keyboard alone, and the card of the kill shows when nothing runs any more', async () => {
    const open = await scene.call('runaway');
    await scene.recorded(open);
    await using browser = await scene.look();
    const { page } = browser;
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Command' }).fill('kill runaway');
    await page.getByRole('option', { name: 'kill runaway' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Kill runaway?' }).waitFor();
    await page.keyboard.press('Enter');
    const card = page.getByRole('region', { name: 'Kill of runaway' });
    await expect.poll(() => card.textContent()).toContain('May still run: 1 open call');
    expect((await scene.call('runaway')).code).toBe('AGENT_KILLED');
    await scene.succeed(open);
    await expect.poll(() => card.textContent(), { timeout: 30_000 }).toContain('Nothing runs any more');
    expect(await axeFaults(page)).toEqual([]);

    await page.goto('/agents/runaway');
    await page.getByRole('button', { name: 'Revive' }).click();
    const revive = page.getByRole('dialog').getByRole('button', { name: 'Revive' });
    expect(await revive.getAttribute('aria-disabled')).toBe('true');
    await page.getByLabel('Reason').fill('it was a test');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect((await scene.call('runaway')).verdict).toBe('ALLOW');
  });

  test.skipIf(IS_SHORT)(
    'keeps the period after a kill in a search, and says that the agent has asked for nothing since',
    async () => {
      await scene.recorded(await scene.call('proven'));
      await using browser = await scene.look();
      const { page } = browser;
      await page.goto('/agents/proven');
      await page.getByRole('button', { name: 'Kill', exact: true }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Kill' }).click();
      const card = page.getByRole('region', { name: 'Kill of proven' });
      await card.getByRole('link', { name: 'What it asked for since' }).click();
      await page.getByText(/^proven has asked for nothing since \d+ \w+, \d\d:\d\d:\d\d\.$/).waitFor();
      const period = page.getByLabel('Period').locator('option:checked');
      expect(await period.textContent()).toMatch(/^since \d+ \w+, \d\d:\d\d:\d\d$/);
      const searched = () => [...new URL(page.url()).searchParams].sort();
      const before = searched();
      await page.getByRole('button', { name: 'Search' }).click();
      await page.getByText('proven has asked for nothing since').waitFor();
      expect(searched()).toEqual(before);
      expect(await axeFaults(page)).toEqual([]);

      await scene.api('operator').post('/v1/agents/proven/revive', { reason: 'it was a test' });
      await card.getByText('Revived at').waitFor({ timeout: 30_000 });
      await card.getByRole('heading', { name: 'proven was killed' }).waitFor();
      await scene.recorded(await scene.call('proven'));
      await card.getByRole('link', { name: 'What it asked for until the revive' }).click();
      await page.getByText('proven has asked for nothing in this period:').waitFor();
      await page.getByRole('button', { name: 'Search' }).click();
      await expect
        .poll(() => [...new URL(page.url()).searchParams.keys()].sort())
        .toEqual(['agent', 'from', 'to']);
      await page.getByLabel('Period').selectOption('last hour');
      await page.getByRole('button', { name: 'Search' }).click();
      await page.getByText('2 decisions').waitFor();
      expect(new URL(page.url()).searchParams.get('to')).toBeNull();
    },
  );

  test('kills an agent by two keys, however fast they come', async () => {
    await scene.recorded(await scene.call('hasty'));
    await using browser = await scene.look();
    const { page } = browser;
    await page.getByRole('button', { name: 'Kill hasty', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Kill of hasty' }).waitFor();
    expect((await scene.call('hasty')).code).toBe('AGENT_KILLED');
  });

  test('kills the selected agents by one kill, with the keyboard alone', async () => {
    const open = [await scene.call('set-1'), await scene.call('set-2')];
    await using browser = await scene.look();
    const { page } = browser;
    await page.goto('/agents?q=set-');
    const button = page.getByRole('button', { name: /^Kill (the chosen|\d+) agents?$/ });
    await button.waitFor();
    expect(await button.getAttribute('title')).toBe('Choose agents in the table first.');
    for (const agent of ['set-1', 'set-2']) {
      await page.getByRole('checkbox', { name: `Choose ${agent}` }).focus();
      await page.keyboard.press('Space');
    }
    await button.focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Kill 2 agents?' });
    await expect.poll(() => dialog.textContent()).toContain('They have 2 open calls.');
    expect(await axeFaults(page)).toEqual([]);
    await page.keyboard.press('Enter');
    const card = page.getByRole('region', { name: 'Kill of 2 agents' });
    await expect.poll(() => card.textContent()).toContain('May still run: 2 open calls');
    expect(await card.textContent()).toContain('set-1, set-2');
    await page.getByRole('button', { name: 'Revive set-2' }).waitFor();
    expect(await button.textContent()).toBe('Kill the chosen agents');
    for (const agent of ['set-1', 'set-2']) expect((await scene.call(agent)).code).toBe('AGENT_KILLED');
    for (const one of open) await scene.succeed(one);
    await expect.poll(() => card.textContent(), { timeout: 30_000 }).toContain('Nothing runs any more');
    expect(await axeFaults(page)).toEqual([]);
  });

  test.skipIf(IS_SHORT)('shows which policies an agent is under, and their limits', async () => {
    await using browser = await scene.look();
    const { page } = browser;
    await page.goto('/agents/worker');
    const table = page.getByRole('region', { name: 'Table: What it may do' });
    await table.getByText(/^revision \d+ by author \(\w+\), \d\d:/).waitFor();
    await table.getByRole('link', { name: 'reads@1' }).waitFor();
    expect(await table.textContent()).toContain('staff-reads');
    expect(await table.textContent()).toContain('at most $5 in all');
  });

  test.skipIf(IS_SHORT)(
    'shows what is left of a budget that the agent shares, and warns before a revive without money',
    async () => {
      const author = scene.api('author');
      await author.post('/v1/agents', { id: 'broke', groups: ['team'] });
      const budgets = [{ id: 'team', scope: 'tenant', max: 0.02 }];
      const costs = { toolPolicies: { search: { cost: 0.01 } } };
      await author.post('/v1/policies', { version: 1, id: 'team-budget', budgets, ...costs });
      await author.post('/v1/rules', {
        version: 1,
        id: 'team-rule',
        policy: 'team-budget',
        groups: ['team'],
      });
      const decisions = [await scene.call('broke'), await scene.call('broke')];
      expect(decisions.map(({ verdict }) => verdict)).toEqual(['ALLOW', 'ALLOW']);
      for (const one of decisions) await scene.succeed(one);
      await scene.api('operator').post('/v1/agents/broke/kill', { reason: 'loops' });
      await scene.atRest();
      await using browser = await scene.look();
      const { page } = browser;
      await page.goto('/agents/broke');
      const left = page.getByRole('region', { name: 'Table: Budgets' });
      await left.getByText('tenant «team»').waitFor();
      await left.getByText('used up').waitFor();
      await page.getByRole('button', { name: 'Revive' }).click();
      await page.getByRole('dialog').getByText('Nothing is left of its budget.').waitFor();
      expect(await axeFaults(page)).toEqual([]);
    },
  );

  test('shows a kill that is in force and not yet on the log as a kill, with what to do', async () => {
    await scene.call('unlogged');
    await using browser = await scene.look();
    const { page } = browser;
    await page.route('**/v1/agents/unlogged/kill', async (route) => {
      const answer = await route.fetch();
      const remedy = 'Check again when the log is back.';
      const problem = { code: 'KILL_IN_FORCE_NOT_ON_LOG', detail: 'not yet on the log', remedy };
      await route.fulfill({ status: 503, json: { ...problem, kill: await answer.json() } });
    });
    await page.goto('/agents?q=unlogged');
    await page.getByRole('button', { name: 'Kill unlogged', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    const card = page.getByRole('region', { name: 'Kill of unlogged' });
    await card.getByText('Check again when the log is back.').waitFor();
    await card.getByText('May still run: 1 open call').waitFor();
  });

  test('Escape kills nothing, and returns the focus to the button', async () => {
    await using browser = await scene.look();
    const { page } = browser;
    const button = page.getByRole('button', { name: 'Kill worker', exact: true });
    await button.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const focused = () => page.evaluate("document.activeElement.getAttribute('aria-label')");
    await expect.poll(focused).toBe('Kill worker');
    expect((await scene.call('worker')).verdict).toBe('ALLOW');
  });

  test('shows a viewer each button, and why it cannot be pressed', async () => {
    await using browser = await scene.look({ as: 'viewer' });
    const { page } = browser;
    const button = page.getByRole('button', { name: 'Kill worker', exact: true });
    await button.waitFor();
    expect(await button.getAttribute('aria-disabled')).toBe('true');
    expect(await button.getAttribute('title')).toContain('needs the scope operate');
    await button.focus();
    await page.keyboard.press('Enter');
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  test('shows decisions as they are made, and hostile text as text', async () => {
    await using browser = await scene.look();
    const { page } = browser;
    const hostile = '<img/src=x/onerror=alert(1)>';
    await scene.call(hostile);
    const row = page.getByRole('region', { name: 'Newest decisions' }).getByText(hostile);
    await row.waitFor({ timeout: 30_000 });
    const river = page.getByRole('region', { name: 'Newest decisions' });
    await river.getByText('the tool "delete_all"').waitFor();
    expect(await page.locator('img').count()).toBe(0);
    await page.keyboard.press('Escape');
    await page.locator('body').press(' ');
    await page.getByText('held at').waitFor();
    expect(new URL(page.url()).searchParams.get('at')).toMatch(/^\d+$/);
    expect(await axeFaults(page)).toEqual([]);
  });

  // This test comes last, because its agents push others out of the list.
  test.skipIf(IS_SHORT)(
    'counts open calls as the list of agents does, and says which part of the agents is listed',
    async () => {
      // The agent has spent least, so it is not among the agents that the page lists.
      for (let count = 0; count < 20; count += 1)
        await scene.succeed(await scene.call(`many-${count}`, 'search', { estimatedCostMicros: 9_000 }));
      const open = await scene.call('unlisted', 'search', { estimatedCostMicros: 1 });
      await using browser = await scene.look();
      const { page } = browser;
      await page.getByText(/^These 20 of \d+ agents spent most\./).waitFor();
      await page.getByRole('link', { name: /^open calls?$/ }).click();
      await page.getByRole('rowheader', { name: 'unlisted' }).waitFor();
      await scene.succeed(open);
    },
  );
});
