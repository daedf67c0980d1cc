/** The console in a real browser, in front of a real plane. Each test also fails if a page breaks its security policy. */
import { describeWithChromium } from '@mandate/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { axeFaults, openScene, type Scene } from './console-scene.ts';

describeWithChromium('the console for approvers and auditors', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene();
  });
  afterAll(() => scene?.[Symbol.asyncDispose]());

  test('approves a call only after the call was shown', async () => {
    await using browser = await scene.look();
    const { page } = browser;
    await page.goto('/approvals');
    const choose = page.getByRole('checkbox').first();
    await choose.waitFor();
    expect(await choose.isDisabled()).toBe(true);
    await page.getByText('Show what it asks for').first().click();
    await page.locator('pre').getByText('"the bank"').waitFor();
    await choose.check();
    expect(await axeFaults(page)).toEqual([]);
    const river = await browser.newPage('/');
    await river.getByRole('region', { name: 'Newest decisions' }).getByText('payer').first().waitFor();
    await page.getByRole('button', { name: 'Approve 1' }).click();
    await page.getByLabel('Reason').fill('checked with the customer');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const row = page.getByRole('listitem').filter({ hasText: 'the bank' });
    await row
      .getByText('granted by you. Not used yet: the agent must send the same call again before')
      .waitFor();
    expect(await choose.isDisabled()).toBe(true);
    const waiting = () =>
      scene
        .api('operator')
        .get<{ waiting: number }>('/v1/approvals')
        .then((found) => found.waiting);
    await expect.poll(waiting, { timeout: 30_000 }).toBe(0);
    // A question of another agent is news. The own answer is not. The other tab shows when both events have come.
    const bar = river.getByText(/▬.*Approval/).first();
    await bar.waitFor({ timeout: 30_000 });
    await river.reload();
    await bar.waitFor({ timeout: 30_000 });
    await scene.call('refunder', 'pay', { args: { to: 'a customer' } });
    await river
      .getByRole('region', { name: 'Newest decisions' })
      .getByText('refunder')
      .waitFor({ timeout: 30_000 });
    await river.close();
    await page.getByText(/new since this page was read/).waitFor();
    expect(await page.getByText(/new since this page was read/).textContent()).toContain('1 new');
    await page.goto('/approvals');
    await page.getByRole('link', { name: 'refunder: pay' }).waitFor();
    expect(await page.getByRole('link', { name: 'payer: pay' }).count()).toBe(0);
    const state = await scene.api('operator').get('/v1/approvals', { state: 'all' });
    const found = (state as { approvals: { decisionId: string; id: string }[] }).approvals;
    const id = found.find((one) => one.decisionId === scene.ids.deferred)?.id ?? '';
    await page.goto(`/approvals/${encodeURIComponent(id)}`);
    await page.getByText('checked with the customer').waitFor({ timeout: 30_000 });
  });

  test('says that an approval has expired without use', async () => {
    const asked = await scene.call('late', 'pay', { args: { to: 'a shop' } });
    await scene.recorded(asked);
    const operator = scene.api('operator');
    const found = await operator.get<{ approvals: { id: string }[] }>('/v1/approvals', { agent: 'late' });
    const [question] = found.approvals;
    await operator.post(`/v1/approvals/${question?.id}/approve`, { reason: 'in time', expiresInMs: 1_000 });
    await using browser = await scene.look();
    const { page } = browser;
    await expect
      .poll(async () => {
        await page.goto('/approvals?state=all&agent=late');
        return page.getByRole('listitem').textContent();
      })
      .toContain('granted by operator');
    await page.getByText(/granted by operator.*Expired, not used\.$/).waitFor();
  });

  test('shows beside the question what differs from the last approved call, and the budget that is left', async () => {
    const again = await scene.call('payer', 'pay', { args: { to: 'the bank', amount: 990 } });
    await scene.recorded(again);
    await using browser = await scene.look();
    const { page } = browser;
    await page.goto('/approvals');
    await page.getByRole('link', { name: 'payer: pay' }).first().click();
    await page.getByRole('button', { name: 'Approve' }).click();
    const dialog = page.getByRole('dialog');
    const lines = dialog.getByRole('region', { name: 'Changed lines' });
    await expect.poll(() => lines.textContent()).toContain('removed:   "amount": 120');
    expect(await lines.textContent()).toContain('added:   "amount": 990');
    await dialog.getByText('$5.00 of $5.00 in «total»').waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await page.keyboard.type('as agreed');
    expect(await dialog.getByLabel('Reason').inputValue()).toBe('as agreed');
  });

  test('names the agents that a rule concerns, and the changes of a person', async () => {
    await using browser = await scene.look({ as: 'author' });
    const { page } = browser;
    await page.goto('/policies');
    const row = page.getByRole('row', { name: /^staff-reads/ });
    await row.getByText('agents in the group staff').waitFor();
    await row.getByRole('link', { name: 'worker', exact: true }).waitFor();
    await page.goto('/changes');
    await page
      .getByRole('link', { name: /^author/ })
      .first()
      .click();
    await expect.poll(() => new URL(page.url()).searchParams.get('by')).toMatch(/^author/);
    await page.getByRole('cell', { name: 'Agent registered or changed' }).first().waitFor();
  });

  test('describes the effect of a change in plain sentences', async () => {
    const author = scene.api('author');
    await author.post('/v1/agents', { id: 'mover', groups: ['staff'] });
    await author.put('/v1/agents/mover', { id: 'mover', groups: ['staff', 'trial'] });
    await using browser = await scene.look({ as: 'viewer' });
    const { page } = browser;
    const sentence = 'The agent mover was registered, or its document was changed.';
    await expect
      .poll(async () => {
        await page.goto('/changes?subject=mover&event=agent.put');
        await page.getByText(sentence).first().waitFor();
        return page.getByText(sentence).count();
      })
      .toBe(2);
    await page.getByRole('link', { name: 'Agent registered or changed' }).first().click();
    await page.getByRole('heading', { name: 'What differs from the version before' }).waitFor();
    await page.getByText('Groups: staff → staff, trial').waitFor();
    expect(await axeFaults(page)).toEqual([]);
  });

  test('lists reads that people made, and reads that pages made by themselves only on request', async () => {
    await using browser = await scene.look({ as: 'viewer' });
    const { page } = browser;
    await page.goto('/decisions');
    await page.getByRole('region', { name: 'Decisions found' }).waitFor();
    await page.goto('/changes?show=reads');
    const reads = page.getByRole('region', { name: 'Table: Reads' });
    await reads.getByText('GET /v1/audit/decisions', { exact: true }).first().waitFor();
    expect(await reads.getByText('GET /v1/kills').count()).toBe(0);
    await page.getByLabel('Also what pages read by themselves').check();
    await page.getByRole('button', { name: 'Search' }).click();
    await reads.getByText('GET /v1/kills').first().waitFor();
    expect(new URL(page.url()).searchParams.get('own')).toBe('true');
  });

  test('lists decisions with the newest first, and states this order', async () => {
    const decisions = [await scene.call('ordered'), await scene.call('ordered'), await scene.call('ordered')];
    for (const one of decisions) await scene.recorded(one);
    await using browser = await scene.look({ as: 'viewer' });
    const { page } = browser;
    await page.goto(`/decisions/${decisions[0]?.id}`);
    const after = page.getByRole('region', { name: 'Table: Decisions of the agent after' });
    const links = () => after.getByRole('link', { name: 'search' }).all();
    await expect.poll(async () => (await links()).length).toBe(2);
    const shown = await Promise.all((await links()).map((link) => link.getAttribute('href')));
    expect(shown).toEqual([2, 1].map((at) => `/decisions/${decisions[at]?.id}`));
    await page.getByRole('heading', { name: 'Decisions of the agent after, the newest first' }).waitFor();
    await after.getByText('Every check passed.').first().waitFor();
  });
});
